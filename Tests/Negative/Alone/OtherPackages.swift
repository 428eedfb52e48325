import Foundation
import HalyardAsync
import Other

// error: 'HTTPRequest' is ambiguous for type lookup in this context
func send(_ request: HTTPRequest) {}

func send(_ request: Halyard.HTTPRequest) {}
