func blockingInATask() async {
    // error: instance method 'perform' is unavailable from asynchronous contexts; await value() or response() instead: blocking here could stop every task
    _ = api.call(.me).perform()
}
