// A server for uploads: it reads a request, discards its body and responds with 200.
//
//   sink        prints the port it listens on, and serves one connection at a time until it is ended
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char bytes[1 << 20];

static void serve(int connection) {
    for (;;) {
        size_t held = 0;
        char *end = NULL;
        while (!end) {
            ssize_t count = read(connection, bytes + held, 65536 - held);
            if (count <= 0) return;
            held += (size_t)count;
            bytes[held] = 0;
            end = strstr(bytes, "\r\n\r\n");
        }
        char *field = strcasestr(bytes, "\r\nContent-Length:");
        if (!field) return;
        long long left = atoll(field + 17) - (long long)(bytes + held - end - 4);
        while (left > 0) {
            ssize_t count = read(connection, bytes, sizeof bytes);
            if (count <= 0) return;
            left -= count;
        }
        static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        if (write(connection, answer, sizeof answer - 1) < 0) return;
    }
}

int main(void) {
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 64)) return 1;
    getsockname(listener, (struct sockaddr *)&address, &length);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (int connection; (connection = accept(listener, NULL, NULL)) >= 0; close(connection)) serve(connection);
}
