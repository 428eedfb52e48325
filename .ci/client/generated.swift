import HalyardOpenAPI

let request = try LibraryAPI().prepare(LibraryAPI.Loans.currentLoan(bookID: 7))
print(request.method, request.url)
