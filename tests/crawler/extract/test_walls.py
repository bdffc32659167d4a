"""An answer that is not the page is recognised in any language; a page about logins, cookies or repairs stays one."""

from __future__ import annotations

import pytest

from crawler.extract.document import NothingToRead, extract
from crawler.extract.walls import Wall, is_login, wall_of
from crawler.fetch.response import Fetched

ASKED = "https://harbour.example/people"
FORM = (
    "<form><label>User name <input name=u></label><label>Password <input type=password name=p></label>"
    "<button>Go</button></form>"
)
LONG = "The harbour master keeps the register of boats and writes down each arrival with its hour and its berth. " * 9


def _wall(html: str, *, url: str = ASKED, asked: str = ASKED, known: int = 0, **headers: str) -> Wall | None:
    body = html.encode()
    named = {"content-type": "text/html", **{name.replace("_", "-"): value for name, value in headers.items()}}
    fetched = Fetched(url=url, status=200, headers=named, body=body)
    try:
        page = extract(body, url=url, content_type="text/html; charset=utf-8")
    except NothingToRead:
        page = None
    return wall_of(fetched, page, asked=asked, known_characters=known)


def _page(title: str, *paragraphs: str, heading: str = "", more: str = "") -> str:
    said = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return f"<title>{title}</title><body><h1>{heading or title}</h1>{said}{more}</body>"


@pytest.mark.parametrize(
    ("kind", "html"),
    [
        (
            Wall.CHALLENGE,
            _page(
                "Just a moment...",
                "Checking whether the connection is safe. Switch on JavaScript and cookies to go on.",
                heading="harbour.example",
            ),
        ),
        (
            Wall.CHALLENGE,
            _page("Just a moment...", "Verifying you are human. This may take a few seconds.", heading="x.example"),
        ),
        (Wall.CHALLENGE, "<title>Oh</title><script>window._cf_chl_opt={cvId:'3'}</script><p>Wait for it, please.</p>"),
        (Wall.CHALLENGE, "<body><script src=https://ct.captcha-delivery.com/c.js></script></body>"),
        (
            Wall.CHALLENGE,
            _page("Making sure you're not a bot!", "Loading ...", more="<script id=anubis_challenge></script>"),
        ),
        (Wall.CHALLENGE, _page("Einen Moment bitte", "Ihr Browser wird gerade überprüft. Das dauert nur kurz.")),
        (Wall.CHALLENGE, _page("Un instant…", "Vérification de votre navigateur avant l'accès au site.")),
        (Wall.CHALLENGE, _page("请稍候…", "正在检查您的浏览器，请启用 JavaScript 和 Cookie。")),
        (
            Wall.MAINTENANCE,
            _page(
                "Maintenance",
                "The site is being worked on at this moment, and it will be there again in about an hour. We are sorry "
                "for the trouble, and thank you for your patience.",
                heading="We will be back soon",
            ),
        ),
        (
            Wall.MAINTENANCE,
            "<h1>We will be back soon</h1><p>The site is being worked on, and it will be there again in an hour.</p>",
        ),
        (
            Wall.MAINTENANCE,
            _page("Harbour | Down for maintenance", "Our servers get new disks tonight. Please come back later."),
        ),
        *(
            (Wall.MAINTENANCE, _page(title, said, heading=heading))
            for title, heading, said in (
                ("Rot & Co", "We’ll be right back!", "Sorry for the inconvenience, we’re performing some maintenance."),
                ("Site Under Maintenance | Shop", "One minute", "We are currently performing scheduled maintenance."),
                (
                    "Shop",
                    "Down for New Year maintenance",
                    "The web site is currently undergoing scheduled maintenance.",
                ),
                ("Server Error", "Server Error", "The server met an error. Please try again later."),
                ("Wartungsarbeiten", "Die Seite wird gewartet", "Bitte besuchen Sie uns in wenigen Minuten wieder."),
                (
                    "Wartung",
                    "Wartungsarbeiten",
                    "Wir arbeiten gerade an dieser Website. Bitte versuche es später erneut.",
                ),
            )
        ),
        (
            Wall.MAINTENANCE,
            _page("Service Unavailable", "The service is temporarily unavailable. Please try again later."),
        ),
        (
            Wall.MAINTENANCE,
            _page("Wartungsarbeiten", "Unsere Website wird gerade gewartet. Wir sind gleich wieder da."),
        ),
        (
            Wall.MAINTENANCE,
            _page("Site en maintenance", "Nous serons bientôt de retour. Veuillez nous excuser pour la gêne."),
        ),
        (Wall.MAINTENANCE, _page("En mantenimiento", "Volveremos pronto. Disculpe las molestias.")),
        (Wall.MAINTENANCE, _page("Сайт временно недоступен", "Технические работы. Попробуйте позже.")),
        (
            Wall.MAINTENANCE,
            _page("メンテナンス中", "ただいまサイトはメンテナンス中です。しばらくしてから再度アクセスしてください。"),
        ),
        (Wall.MAINTENANCE, _page("Przerwa techniczna", "Serwis jest chwilowo niedostępny. Wkrótce wracamy.")),
        (Wall.LOGIN, _page("Log in", "Please log in with your name and your password.", more=FORM)),
        (Wall.LOGIN, _page("Harbour intranet", "Forgot your password?", heading="Sign in", more=FORM)),
        (Wall.LOGIN, _page("Anmelden", "Bitte melden Sie sich mit Ihrer Mitgliedsnummer an.", more=FORM)),
        (Wall.LOGIN, _page("Connexion", "Connectez-vous pour lire la suite.", more=FORM)),
        (
            Wall.COOKIES,
            _page(
                "Before you continue", "We use cookies to count visitors. Accept all cookies to continue to the site."
            ),
        ),
        (Wall.COOKIES, _page("Cookies required", "This site requires cookies. Please switch them on.")),
        (Wall.MISSING, "<h1>404</h1>"),
        (
            Wall.MISSING,
            _page("Page Not Found", "The requested page could not be found.", heading="404 - Page Not Found"),
        ),
        (Wall.MISSING, _page("Page not found", "The requested page, “boats”, does not exist on this server. Go home.")),
        (Wall.CHALLENGE, _page("Attention Required! | Cloudflare", "Wait.", more="<div class=cf-turnstile></div>")),
        (Wall.CHALLENGE, _page("Attention Required!", "Please complete the security check to access the harbour.")),
        (Wall.MAINTENANCE, _page("Account Suspended", "This account has been suspended. Ask your hosting provider.")),
        (Wall.MAINTENANCE, _page("", "<h1>Error establishing a database connection</h1>")),
        (Wall.MISSING, _page("Page not found", "Sorry, we could not find that page.", more="<a href=/>Home</a>")),
        (Wall.MISSING, _page("Harbour – 404 Not Found", "The page you are looking for does not exist or has moved.")),
        (Wall.MISSING, _page("Seite nicht gefunden", "Die Seite, die Sie suchen, gibt es nicht (mehr).")),
        (Wall.MISSING, _page("Página no encontrada", "La página que busca no existe.")),
    ],
)
def test_what_comes_instead_of_a_page_is_recognised(kind: Wall, html: str) -> None:
    assert _wall(html) == kind


@pytest.mark.parametrize(
    "html",
    [
        _page("Maintenance", "The boiler is serviced in May. The heating is off for two hours on that day."),
        _page(
            "Planned maintenance of our website",
            "On 3 May from 8 to 10 the website is under maintenance. Buy tickets at the quay.",
        ),
        _page(
            "Maintenance window", "Servers restart on the first Monday of each month at 22:00. Save your work before."
        ),
        _page("Wartungsarbeiten", "Der Aufzug in Haus 2 steht am 3. Mai still. Bitte nehmen Sie die Treppe."),
        _page(
            "Maintenance des ascenseurs", "L'ascenseur du quai est contrôlé deux fois par an, en mai et en novembre."
        ),
        _page("En mantenimiento", "La grúa 3 está parada hasta el 5 de mayo; la grúa 4 trabaja de noche."),
        _page("Как войти в систему", "Введите номер договора и пароль из письма. Через три ошибки вход закрыт на час."),
        _page(
            "How to log in",
            "Log in with your member number. The first password is on your card; change it within a week.",
        ),
        _page(
            "Login", "The command login opens a session on the terminal. It reads /etc/passwd and asks for a password."
        ),
        _page("Log in to the printer", LONG, more=FORM),
        _page("Harbour club", "The next meeting is on 3 May at 7 in the harbour house.", more=f"<h2>Login</h2>{FORM}"),
        _page(
            "Cookie policy", "We use cookies to count visitors. You can switch cookies off in your browser at any time."
        ),
        _page(
            "Our best cookies", "Bake the cookies for twelve minutes. Take them out before you go on with the cream."
        ),
        _page(
            "How to enable cookies",
            "Open Settings, then Privacy. Enable cookies to continue your order. Then reload the shop.",
        ),
        _page("CAPTCHA", "A CAPTCHA is a test to find out whether a visitor is human. The first was made in 1997."),
        _page(
            "Write to us",
            "The office answers within two days.",
            more="<form><div class=g-recaptcha></div><textarea></textarea></form>",
        ),
        _page(
            "404 Not Found",
            "A server answers 404 if it has nothing at an address. It does not say if that is for ever, as 410 does.",
        ),
        _page(
            "Just a moment",
            "A poem by Rosa Lind. The tide was low, the lamp was lit, and nobody came to the quay that night.",
        ),
        _page(
            "Access denied",
            "The gate says this if your card has expired. The harbour office renews cards from Monday to Friday.",
        ),
        _page("维护", "水泵每年五月由罗莎·林德维护一次。维护当天供水停两小时，请提前储水。"),
        _page("Release 4", "Fixed: the page you are looking for does not exist was shown after a login.", LONG),
        "<p>The harbour master is Rosa Lind since 2017.</p>",
        _page("Ferry timetable", "The ferry service is temporarily unavailable."),
        _page("Server error", "A page of the manual on what the light of the server says: red is a fault of the fan."),
    ],
)
def test_page_about_such_things_stays_a_page(html: str) -> None:
    assert _wall(html) is None


@pytest.mark.parametrize(
    ("url", "html", "kind"),
    [
        (
            "https://harbour.example/login?next=/people",
            _page("Log in", "Log in with your name to see this page."),
            Wall.LOGIN,
        ),
        ("https://harbour.example/users/sign_in", _page("Welcome", LONG, more=FORM), Wall.LOGIN),
        ("https://harbour.example/wp-login.php?redirect_to=https%3A%2F%2Fharbour.example%2Fpeople", LONG, Wall.LOGIN),
        ("https://login.example.org/oauth/start?return=%2Fpeople", "<p>Use your key.</p>", Wall.LOGIN),
        ("https://harbour.example/docs/login", _page("Login", LONG), None),  # a manual's page that moved there
        ("https://harbour.example/docs/login", _page("Login", LONG[:500]), None),
        ("https://harbour.example/signin", "<p>Loading the form.</p>", Wall.LOGIN),
        ("https://harbour.example/staff", _page("Staff", "The harbour master is Rosa Lind."), None),
        ("https://harbour.example/", _page("Harbour", LONG), Wall.FRONT),
    ],
)
def test_redirect_to_a_login_or_to_the_front_page_is_none_to_the_page(url: str, html: str, kind: Wall | None) -> None:
    assert _wall(html, url=url, known=900) == kind


def test_front_page_may_lead_to_another_of_its_names() -> None:
    index = "https://harbour.example/index.html"
    assert _wall(_page("Harbour", LONG), url="https://harbour.example/", asked=index, known=900) is None
    assert not is_login("https://harbour.example/login", asked="https://harbour.example/login")


def test_text_that_shrank_to_a_tenth_beside_a_password_field_is_a_login() -> None:
    html = _page("Harbour", "Members only.", more=FORM)
    assert (_wall(html), _wall(html, known=5_000)) == (None, Wall.LOGIN)


@pytest.mark.parametrize("name", ["challenge.html", "maintenance.html"])
def test_header_of_a_wall_counts(name: str) -> None:
    kind, header = (
        (Wall.CHALLENGE, {"cf_mitigated": "challenge"}) if name[0] == "c" else (Wall.MAINTENANCE, {"retry_after": "60"})
    )
    html = _page("Harbour", "Please come back later; the crane is busy.")
    assert (_wall(html), _wall(html, **header)) == (None, kind)


@pytest.mark.parametrize(
    "body",
    [
        '{"error": "Internal error", "code": 17}',
        '{"errors": [{"message": "x"}], "data": null}',
        '{"statusCode": 500, "message": "Internal server error"}',
        '{"status": "error", "message": "The pages cannot be read."}',
        '{"type": "about:blank", "title": "Not Found", "status": 404}',
        '{"message": "Endpoint request timed out"}',
        "<br />\n<b>Fatal error</b>:  Uncaught Error: Call to undefined function f() in /srv/index.php:3\nStack "
        "trace:\n#0 {main}\n  thrown in <b>/srv/index.php</b> on line <b>3</b><br />",
        "PHP Parse error: syntax error, unexpected end of file in /srv/index.php on line 12",
        _page("Object reference not set to an instance of an object.", "Exception Details: System.X: y.").replace(
            "<h1>Object reference not set to an instance of an object.", "<h1>Server Error in '/' Application."
        ),
        "<pre>java.lang.NullPointerException: null\n\tat org.x.Boats.find(Boats.java:31)\n\tat x.A.b(A.java)</pre>",
        _page("HTTP Status 500 – Internal Server Error", "Type Exception Report"),
        "<pre>Traceback (most recent call last):\n  File &quot;/srv/app.py&quot;, line 3, in run\nKeyError: 1</pre>",
        "SQLSTATE[HY000] [2002] Connection refused",
        "<p>You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version.</p>",
        "Microsoft OLE DB Provider for SQL Server error '80004005' /boats.asp, line 8",
        "ORA-12541: TNS:no listener",
    ],
)
def test_what_a_program_says_that_failed_replaces_no_page_that_was_read(body: str) -> None:
    assert _wall(body, known=900) == Wall.FAILURE
    assert _wall(body) != Wall.FAILURE


@pytest.mark.parametrize(
    "body",
    [
        '{"boats": [{"name": "Heron", "error": 0.5}], "status": 200}',
        '{"error": null, "boat": "Heron"}',
        '{"message": "The ferry is late.", "at": "12:30"}',
        _page("ORA-12541", "This error means that no listener answers at the port. Start it with lsnrctl start."),
        _page("Errors of PHP", "Fatal error: the script ends. Warning: it goes on. Both name the file and the line."),
        _page("Boats", LONG, "A page that a tool could not make says Traceback (most recent call last):"),
    ],
)
def test_page_about_errors_may_be_read_again(body: str) -> None:
    assert _wall(body, known=900) is None
