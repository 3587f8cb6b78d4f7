//! Routes and commands: the fixture of each framework file with its expected list, and what filters and masks do.

use std::path::PathBuf;

use spyhop::{Engine, EntriesReply, EntriesRequest, EntryKind, FilterSpec, Options};

use super::{open, options};
use crate::support::Tree;
use crate::support::repository;

fn frameworks() -> PathBuf {
    repository("src/graph/frameworks")
}

fn list(tree: &Tree, kind: EntryKind, pattern: &str) -> EntriesReply {
    // Cargo's aliases are in a hidden folder.
    let options = Options { hidden: true, ..options(tree) };
    let engine = Engine::open(tree.root(), options).unwrap();
    engine.ask(&EntriesRequest::new(kind, pattern)).unwrap()
}

/// Rows as `method, name, handler, path:line`, with tabs between.
fn shown(reply: &EntriesReply, framework: &str) -> Vec<String> {
    let rows = reply.rows.iter().filter(|row| row.framework == framework);
    let row = |row: &spyhop::EntryRow| {
        let file = row.handler_path.as_ref().filter(|_| row.definition.is_none());
        let handler = match (&*row.handler, file) {
            (_, Some(path)) => path.as_str(),
            ("", None) => "-",
            (handler, None) => handler,
        };
        format!("{}\t{}\t{handler}\t{}:{}", row.method, row.name, row.path, row.line)
    };
    let mut rows: Vec<String> = rows.map(row).collect();
    rows.sort();
    rows
}

#[test]
fn each_framework_finds_the_entries_of_its_fixture_and_no_others() {
    let mut wrong = Vec::new();
    let mut folders: Vec<PathBuf> = std::fs::read_dir(frameworks())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    assert!(folders.len() >= 21, "{} frameworks", folders.len());
    for folder in folders {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let read = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
        let tree = Tree::new(&read("fixture.txt"));
        let kind = match read("framework.toml").contains("kind = \"route\"") {
            true => EntryKind::Route,
            false => EntryKind::Command,
        };
        let found = shown(&list(&tree, kind, ""), name);
        let expected = read("expected.tsv");
        let expected: Vec<&str> = expected.lines().collect();
        let missing = expected.iter().filter(|row| !found.iter().any(|row_found| row_found == *row));
        wrong.extend(missing.map(|row| format!("{name} misses {row}")));
        let extra = found.iter().filter(|row| !expected.contains(&row.as_str()));
        wrong.extend(extra.map(|row| format!("{name} adds   {row}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn entries_are_filtered_by_words_paths_and_kinds_and_counted() {
    let tree = Tree::new(&std::fs::read_to_string(frameworks().join("flask/fixture.txt")).unwrap());
    let names = |reply: &EntriesReply| reply.rows.iter().map(|row| row.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&list(&tree, EntryKind::Route, "put ORDERS")), ["/orders/new"]);
    assert!(list(&tree, EntryKind::Route, "nothing").rows.is_empty());
    let filter = FilterSpec { path: Some("shop/items.py".into()), ..FilterSpec::default() };
    let request = EntriesRequest { filter, max_results: 1, ..EntriesRequest::new(EntryKind::Route, "") };
    let reply = open(&tree).ask(&request).unwrap();
    assert_eq!((reply.rows.len(), reply.total), (1, 3));
    let request = EntriesRequest { max_results: 0, ..EntriesRequest::new(EntryKind::Route, "") };
    assert!(open(&tree).ask(&request).is_err());
}

#[test]
fn entries_of_tests_come_last_and_say_so() {
    let tree = Tree::new(
        "\n=== a/tests/test_app.py\nfrom flask import Flask\napp = Flask('t')\n\n@app.route('/probe')\ndef probe():\n    \
         pass\n=== web.py\nfrom flask import Flask\napp = Flask('w')\n\n@app.route('/real')\ndef real():\n    pass\n",
    );
    let rows = list(&tree, EntryKind::Route, "").rows;
    let rows: Vec<(&str, bool)> = rows.iter().map(|row| (row.name.as_str(), row.is_test)).collect();
    assert_eq!(rows, [("/real", false), ("/probe", true)]);
}

#[test]
fn secrets_of_scripts_are_masked() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let tree =
        Tree::new(&format!("\n=== package.json\n{{\"scripts\": {{\"deploy\": \"T={token} ./deploy\"}}}}\n"));
    let rows = list(&tree, EntryKind::Command, "deploy").rows;
    assert!(rows[0].handler.contains("./deploy") && !rows[0].handler.contains(&token), "{}", rows[0].handler);
}

#[test]
fn entries_that_reach_a_symbol_are_found_through_calls_and_through_inline_handlers() {
    let tree = Tree::new(
        r#"
=== shop/pool.py
def take():
    return 1

def unused():
    return 2
=== shop/web.py
from flask import Flask
from shop.pool import take

app = Flask('w')

def helper():
    return take()

@app.route('/direct')
def direct():
    return take()

@app.route('/through')
def through():
    return helper()

@app.route('/other')
def other():
    return 3
=== server.js
const app = require('express')();
const { total } = require('./cart');

app.get('/total', (req, res) => {
  res.json(total());
});
app.get('/nothing', (req, res) => res.end());
=== cart.js
function total() {
  return 0;
}
module.exports = { total };
"#,
    );
    let reaching = |target: &str| {
        let request =
            EntriesRequest { reaches: Some(target.into()), ..EntriesRequest::new(EntryKind::Route, "") };
        open(&tree).ask(&request).map(|reply| {
            reply.rows.iter().map(|row| (row.name.clone(), row.depth.unwrap())).collect::<Vec<_>>()
        })
    };
    let row = |name: &str, depth: u32| (name.to_string(), depth);
    assert_eq!(reaching("take").unwrap(), [row("/direct", 1), row("/through", 2)]);
    assert_eq!(reaching("direct").unwrap(), [row("/direct", 0)]);
    assert_eq!(reaching("total").unwrap(), [row("/total", 1)]);
    assert_eq!(reaching("unused").unwrap(), []);
    assert!(reaching("no_such_name").is_err());
}

#[test]
fn a_test_that_mounts_a_router_gives_the_program_no_routes() {
    let fixture = std::fs::read_to_string(frameworks().join("gin/fixture.txt")).unwrap();
    let test = "\n=== items/routes_test.go\npackage items\n\nimport \"github.com/gin-gonic/gin\"\n\nfunc TestList() {\n\tr := \
                gin.New()\n\tRegister(r.Group(\"/probe\"))\n}\n";
    let rows = list(&Tree::new(&format!("{fixture}{test}")), EntryKind::Route, "").rows;
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["/api/items/", "/api/items/:id", "/admin/", "/health"]);
}

#[test]
fn routers_are_followed_through_lists_modules_and_loops() {
    let tree = Tree::new(
        "
=== site/__init__.py
# A package.
=== site/api/__init__.py
# A package.
=== site/urls.py
from django.urls import include, path
from rest_framework import routers
from site.api import urls as api_urls
from site.views import Issues, UserViewSet, alone, health

router = routers.DefaultRouter()
router.register('users', UserViewSet)
extra = [
    path('extra/', alone),
]
urlpatterns = [
    path('v2/', include(api_urls)),
    path('v3/', include(router.urls)),
    path('issues/', Issues.as_view()),
    path('health', health),
    *extra,
]
=== site/api/urls.py
from django.urls import path
from site.views import alone
urlpatterns = [path('alone/', alone)]
=== site/views.py
class Issues(View):
    def get(self, request):
        pass

    def post(self, request):
        pass

class UserViewSet(ModelViewSet):
    http_method_names = ['get', 'post']

@api_view(['GET'])
def health(request):
    pass

def alone(request):
    pass
",
    );
    assert_eq!(
        shown(&list(&tree, EntryKind::Route, ""), "django"),
        [
            "*\t/extra/\talone\tsite/urls.py:9",
            "*\t/v2/alone/\talone\tsite/api/urls.py:3",
            "GET\t/health\thealth\tsite/urls.py:15",
            "GET\t/issues/\tIssues\tsite/urls.py:14",
            "GET\t/v3/users\tUserViewSet\tsite/urls.py:7",
            "GET\t/v3/users/<pk>\tUserViewSet\tsite/urls.py:7",
            "POST\t/issues/\tIssues\tsite/urls.py:14",
            "POST\t/v3/users\tUserViewSet\tsite/urls.py:7",
        ]
    );
    let rows = shown(&list(&tree, EntryKind::Route, "POST issues"), "django");
    assert_eq!(rows, ["POST\t/issues/\tIssues\tsite/urls.py:14"]);
    let tree = Tree::new(
        "
=== app.py
from flask import Blueprint, Flask
from flask.views import MethodView

app = Flask(__name__)
pages = Blueprint('pages', __name__)

class Item(MethodView):
    methods = ['GET', 'PUT']

class Other(MethodView):
    def delete(self):
        pass

def add(app, rule, view):
    app.add_url_rule(rule, view_func=view)

app.add_url_rule('/items', view_func=Item.as_view('items'))
app.add_url_rule(rule='/kept', view_func=Item.as_view('kept'))
pages.add_url_rule('/others', view_func=Other.as_view('others'))
for blueprint in [pages]:
    app.register_blueprint(blueprint, url_prefix='/api')
=== more.py
rule = '/of-another-file'
",
    );
    assert_eq!(
        shown(&list(&tree, EntryKind::Route, ""), "flask"),
        [
            "DELETE\t/api/others\tOther\tapp.py:19",
            "GET\t/items\tItem\tapp.py:17",
            "PUT\t/items\tItem\tapp.py:17",
        ]
    );
    let tree = Tree::new(
        "
=== main.py
from fastapi import FastAPI
from users import router as users_router
import items

app = FastAPI()
routers = [users_router, items.router]
for each in routers:
    app.include_router(each, prefix='/api')
=== users.py
from fastapi import APIRouter
router = APIRouter(prefix='/users')

@router.get('/all')
def all_users():
    pass
=== items.py
from fastapi import APIRouter
router = APIRouter()

@router.post('/items')
def add_item():
    pass
",
    );
    assert_eq!(
        shown(&list(&tree, EntryKind::Route, ""), "fastapi"),
        ["GET\t/api/users/all\tall_users\tusers.py:4", "POST\t/api/items\tadd_item\titems.py:4",]
    );
}
