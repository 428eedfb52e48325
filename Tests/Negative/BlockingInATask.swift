func blockingInATask() async {
    // error: instance method 'perform' is unavailable from asynchronous contexts; await value() or response() instead: blocking in a task can deadlock
    _ = api.call(.me).perform()
}
