//! A real Neovim without a screen: Neovim's client starts the server, asks, and fills the quickfix list.

use std::process::Command;

use serde_json::Value;

use super::POOLS;
use crate::support::Tree;

/// What Neovim runs. Works from version 0.7 on.
const SCRIPT: &str = r#"
local out = {}
local ok, failure = pcall(function()
  local spyhop, root, report = vim.env.SPYHOP, vim.env.ROOT, nil
  vim.cmd('edit ' .. root .. '/src/main.rs')
  local buffer = vim.api.nvim_get_current_buf()
  local id = vim.lsp.start_client({ name = 'spyhop', cmd = { spyhop, 'lsp' }, root_dir = root })
  vim.lsp.buf_attach_client(buffer, id)
  local function ready() return vim.lsp.get_client_by_id(id).initialized and vim.lsp.buf_is_attached(buffer, id) end
  assert(vim.wait(20000, ready), 'not initialized')
  local function ask(method, params)
    local answers, failed = vim.lsp.buf_request_sync(buffer, method, params, 30000)
    assert(answers and answers[id], method .. ': ' .. tostring(failed))
    assert(not answers[id].err and not answers[id].error, vim.inspect(answers))
    return answers[id].result
  end
  local function places(items)
    local list = {}
    for _, item in ipairs(items) do
      local name = vim.fn.fnamemodify(item.filename or vim.fn.bufname(item.bufnr), ':p')
      table.insert(list, string.format('%s:%d:%d', name:sub(#root + 2), item.lnum, item.col))
    end
    return list
  end
  local encoding = vim.lsp.get_client_by_id(id).offset_encoding
  out.symbols = places(vim.lsp.util.symbols_to_items(ask('workspace/symbol', { query = 'Pool.take' })))
  -- `Pool::take` in the last lines of `main`.
  vim.api.nvim_win_set_cursor(0, { 7, 11 })
  local at = vim.lsp.util.make_position_params(0, encoding)
  out.definition = places(vim.lsp.util.locations_to_items(ask('textDocument/definition', at), encoding))
  at.context = { includeDeclaration = true }
  out.references = places(vim.lsp.util.locations_to_items(ask('textDocument/references', at), encoding))
  out.hover = ask('textDocument/hover', at).contents.value
  local document = { textDocument = { uri = vim.uri_from_bufnr(buffer) } }
  local symbols = ask('textDocument/documentSymbol', document)
  out.document = places(vim.lsp.util.symbols_to_items(symbols, buffer))
  local command = { command = 'spyhop.search', arguments = { { query = 'take a permit', n = 1 } } }
  out.search = ask('workspace/executeCommand', command)[1].path

  vim.cmd('cd ' .. root)
  vim.o.grepprg = spyhop .. ' grep --vimgrep'
  vim.o.grepformat = '%f:%l:%c:%m'
  vim.cmd('silent grep! "take" src')
  out.quickfix = places(vim.fn.getqflist())
  vim.o.grepprg = spyhop .. ' search --mode compact'
  vim.o.grepformat = vim.env.COMPACT
  vim.cmd('silent grep! "take a permit" --lang rust')
  out.ranked = places(vim.fn.getqflist())

  vim.lsp.stop_client(id)
  out.stopped = vim.wait(10000, function() return vim.lsp.client_is_stopped(id) end)
end)
out.ok, out.failure = ok, tostring(failure)
local file = io.open(vim.env.REPORT, 'w')
file:write(vim.fn.json_encode(out))
file:close()
vim.cmd('qa!')
"#;

#[test]
fn neovim_navigates_and_fills_its_quickfix_list() {
    if Command::new("nvim").arg("--version").output().is_err() {
        eprintln!("SKIPPED, NOTHING IS PROVED: nvim is not installed");
        return;
    }
    let tree = Tree::new(POOLS);
    tree.run(&["index", "-q"]);
    let folder = tempfile::tempdir().unwrap();
    let (script, report) = (folder.path().join("ask.lua"), folder.path().join("report.json"));
    std::fs::write(&script, SCRIPT).unwrap();
    let mut command = Command::new("nvim");
    command.args(["--headless", "--clean", "-n", "-u", "NONE", "-c"]);
    command.arg(format!("luafile {}", script.display())).current_dir(tree.root());
    for name in ["XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
        command.env(name, folder.path().join(name));
    }
    command.env("SPYHOP", env!("CARGO_BIN_EXE_spyhop")).env("ROOT", tree.root());
    command.env("SPYHOP_INDEX_DIR", tree.index_dir()).env("REPORT", &report).env("COMPACT", COMPACT);
    let output = command.output().unwrap();
    let text = std::fs::read_to_string(&report)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["ok"], true, "{report}");
    assert_eq!(report["symbols"][0], "src/pool.rs:10:12", "{report}");
    assert_eq!(report["definition"], serde_json::json!(["src/pool.rs:10:12"]));
    let mut references: Vec<&str> =
        report["references"].as_array().unwrap().iter().map(|place| place.as_str().unwrap()).collect();
    references.sort_unstable();
    // Other functions of the name are not references.
    assert_eq!(references, ["src/main.rs:7:11", "src/main.rs:8:10", "src/pool.rs:10:12"]);
    assert!(report["hover"].as_str().unwrap().contains("Takes a permit."), "{report}");
    // A module without a body is no item; functions are.
    let document: Vec<&str> =
        report["document"].as_array().unwrap().iter().map(|place| place.as_str().unwrap()).collect();
    assert!(document.contains(&"src/main.rs:3:4") && document.contains(&"src/main.rs:5:4"), "{report}");
    assert_eq!(report["search"], "src/pool.rs");
    let found = ["src/main.rs:7:11", "src/main.rs:8:10", "src/pool.rs:10:12", "src/queue.rs:4:12"];
    assert_eq!(report["quickfix"], serde_json::json!(found));
    assert_eq!(report["ranked"][0].as_str().unwrap().split(':').next(), Some("src/pool.rs"), "{report}");
    assert_eq!(report["stopped"], true);
}

/// The format of compact hits, as `docs/editors.md` gives it.
const COMPACT: &str = "%f:%l:%c: %m,%f:%l-%*\\d: %m,%f:%l: %m,%-G%.%#";
