// Nothing to call: it is done before the first test begins.
