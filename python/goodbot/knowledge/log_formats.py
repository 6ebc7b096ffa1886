"""Documents on the access logs of servers and services.

Scope: rows, as far as a case cites the document.
"""

from goodbot.knowledge.known_document import KnownDocument
from goodbot.knowledge.web import in_conformance

__all__ = ["LOG_FORMATS"]

READ = "2026-11-23"


def log_format(
    key: str, title: str, url: str, *cites: str, vectors: tuple[str, ...], version: str = ""
) -> KnownDocument:
    """Return the row of a format of logs; `vectors` are files in conformance/."""
    return KnownDocument(
        f"logs:{key}", "operator", f"{title}: access logs", version, "", READ, url,
        "The format of its access logs.", in_conformance(vectors), cites,
    )  # fmt: skip


LOG_FORMATS: tuple[KnownDocument, ...] = (
    log_format("apache", "Apache HTTP Server", "https://httpd.apache.org/docs/2.4/mod/mod_log_config.html", "Apache HTTP Server 2.4", "Debian, apache2.conf", version="2.4", vectors=("logs/lines.toml",)),
    log_format("nginx", "nginx", "https://nginx.org/en/docs/http/ngx_http_log_module.html", "nginx, ngx_http", "nginx", vectors=("logs/lines.toml", "audit/statuses.toml")),
    log_format("w3c", "W3C, Extended Log File Format", "https://www.w3.org/TR/WD-logfile-960323", "W3C WD-logfile-960323", version="working draft 1996-03-23", vectors=("logs/lines.toml",)),
    log_format("iis", "Microsoft IIS and Azure", "https://learn.microsoft.com/en-us/windows/win32/http/w3c-logging", "Microsoft, IIS", "IIS", "Microsoft, Azure", vectors=("logs/lines.toml", "logs/providers.toml")),
    log_format("caddy", "Caddy", "https://caddyserver.com/docs/caddyfile/directives/log", "Caddy", version="2", vectors=("logs/lines.toml", "logs/providers.toml")),
    log_format("traefik", "Traefik", "https://doc.traefik.io/traefik/observability/access-logs/", "Traefik", version="1.7 to 3.7", vectors=("logs/lines.toml",)),
    log_format("aws", "AWS load balancers, CloudFront and S3", "https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/AccessLogs.html", "AWS, User Guide", "AWS, Elastic Load Balancing", "Amazon CloudFront", "Amazon S3", vectors=("logs/lines.toml", "logs/providers.toml")),
    log_format("cloudflare", "Cloudflare Logpush", "https://developers.cloudflare.com/logs/reference/log-fields/zone/http_requests/", "Cloudflare, Logpush", "Cloudflare Logpush", "Cloudflare, HTTP request headers", vectors=("logs/lines.toml",)),
    log_format("fastly", "Fastly", "https://www.fastly.com/documentation/guides/integrations/logging/", "Fastly", vectors=("logs/lines.toml", "logs/providers.toml")),
    log_format("google-cloud", "Google Cloud", "https://cloud.google.com/logging/docs/reference/v2/rest/v2/LogEntry", "Google Cloud", vectors=("logs/lines.toml", "logs/providers.toml")),
    log_format("akamai", "Akamai", "https://techdocs.akamai.com/datastream2/docs", "Akamai", "Sumo Logic", vectors=("logs/providers.toml",)),
    log_format("imperva", "Imperva", "https://docs.imperva.com/", "Imperva (Incapsula)", vectors=("logs/lines.toml",)),
    log_format("bunny", "bunny.net", "https://docs.bunny.net/docs/cdn-logging", "bunny.net", vectors=("logs/providers.toml",)),
    log_format("vercel", "Vercel", "https://vercel.com/docs/drains", "Vercel", vectors=("logs/providers.toml",)),
    log_format("netlify", "Netlify", "https://docs.netlify.com/manage/monitoring/log-drains/", "Netlify", vectors=("logs/providers.toml",)),
    log_format("haproxy", "HAProxy", "https://docs.haproxy.org/2.6/configuration.html", "HAProxy", version="2.6", vectors=("logs/providers.toml",)),
    log_format("varnish", "Varnish", "https://varnish-cache.org/docs/trunk/reference/varnishncsa.html", "Varnish", vectors=("logs/providers.toml",)),
    log_format("envoy", "Envoy and Istio", "https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage", "Envoy", "Istio", vectors=("logs/providers.toml",)),
    log_format("kong", "Kong", "https://developer.konghq.com/plugins/file-log/", "Kong", vectors=("logs/providers.toml",)),
    log_format("kubernetes", "Kubernetes and Docker", "https://kubernetes.io/docs/concepts/cluster-administration/logging/", "Kubernetes", "Docker", "ingress-nginx", vectors=("logs/lines.toml", "logs/providers.toml")),
    log_format("elastic", "Elastic Common Schema, Filebeat, Logstash, Datadog", "https://www.elastic.co/docs/reference/ecs", "Elastic Common Schema", "Filebeat", "Logstash", "Datadog", vectors=("logs/lines.toml", "logs/providers.toml")),
    log_format("lighttpd", "lighttpd and OpenLiteSpeed", "https://redmine.lighttpd.net/projects/lighttpd/wiki/Mod_accesslog", "lighttpd", "OpenLiteSpeed", vectors=("logs/providers.toml",)),
    log_format("jetty", "Eclipse Jetty", "https://jetty.org/docs/", "Eclipse Jetty", vectors=("logs/providers.toml",)),
    log_format("node", "pino-http", "https://github.com/pinojs/pino-http", "pino-http", vectors=("logs/providers.toml",)),
    log_format("python", "Gunicorn, Hypercorn, aiohttp, Twisted, Werkzeug", "https://docs.gunicorn.org/en/stable/settings.html", "gunicorn", "Gunicorn", "Hypercorn", "aiohttp 3", "Twisted", "Werkzeug", version="27.0, 0.18, 3.14, 26.10", vectors=("logs/providers.toml",)),
    log_format("proxy-manager", "Nginx Proxy Manager", "https://nginxproxymanager.com/", "Nginx Proxy Manager", vectors=("logs/providers.toml",)),
    log_format("matomo", "matomo-log-analytics", "https://github.com/matomo-org/matomo-log-analytics", "matomo-log-analytics", vectors=("logs/lines.toml",)),
)  # fmt: skip
"""Formats of access logs."""
