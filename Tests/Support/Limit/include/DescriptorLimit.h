// This header declares nothing: the limit is raised before the first test begins.
