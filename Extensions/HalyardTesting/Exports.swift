// A test with stubs also needs clients, routes, JSON and errors, so this module exports Halyard.
@_exported public import Halyard
