"""The authorization server of Django OAuth Toolkit at the path /o, with its database in a file."""

import django
from django.conf import settings

LOGIN = '<!DOCTYPE html><form method="post">{% csrf_token %}{{ form }}<input type="submit" value="Log in"></form>'


def application(database, port):
    device = f"http://127.0.0.1:{port}/o/device/"
    settings.configure(
        ALLOWED_HOSTS=["127.0.0.1"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": database}},
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=[
            "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "oauth2_provider",
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
        ],
        OAUTH2_PROVIDER={
            "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True, "PKCE_REQUIRED": True, "ROTATE_REFRESH_TOKEN": True,
            "OAUTH_DEVICE_VERIFICATION_URI": device,
            "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE": lambda user_code: f"{device}?user_code={user_code}",
        },
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        ROOT_URLCONF=__name__,
        SECRET_KEY="a secret of this server",
        STATIC_URL="/static/",
        TEMPLATES=[{
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {"loaders": [
                ("django.template.loaders.locmem.Loader", {"registration/login.html": LOGIN}),
                "django.template.loaders.app_directories.Loader",
            ]},
        }],
        USE_TZ=True,
    )
    django.setup()
    from django.contrib.auth.models import User
    from django.contrib.auth.views import LoginView
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application
    from django.http import HttpResponse
    from django.urls import include, path
    from oauth2_provider.decorators import protected_resource
    from oauth2_provider.models import Application
    from oauth2_provider.views import OAuthServerMetadataView

    @protected_resource(advertise_metadata=True)
    def data(request):
        return HttpResponse("data")

    # The document of an issuer with a path is at the root of the server (RFC 8414 section 3.1).
    globals()["urlpatterns"] = [
        path(".well-known/oauth-authorization-server/<path:issuer_path>", OAuthServerMetadataView.as_view()),
        path("o/", include("oauth2_provider.urls")),
        path("accounts/login/", LoginView.as_view()),
        path("data", data),
    ]
    call_command("migrate", verbosity=0)
    User.objects.create_user("user", password="a password")
    Application.objects.create(
        client_id="a program", client_secret="a secret: +/%&=ü", client_type="confidential",
        authorization_grant_type="client-credentials")
    Application.objects.create(
        client_id="an app", client_type="public", authorization_grant_type="authorization-code",
        redirect_uris="http://127.0.0.1/callback")
    Application.objects.create(
        client_id="a-device", client_type="public",
        authorization_grant_type="urn:ietf:params:oauth:grant-type:device_code")
    return get_wsgi_application()
