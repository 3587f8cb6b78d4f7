//! Templates are code: they are found by the texts that a page shows.

use super::{ask, indexed};
use crate::support::Tree;

const TEXTS: &str = r#"
=== app/views/receipts/show.html.erb
<h1>Thank you</h1>
<p>A printed copy lies at the front desk.</p>
=== app/models/front_desk.rb
# The front desk keeps each printed copy.
class FrontDesk
  def printed_copy(desk)
    desk.copy.printed
  end

  def copy_lies_at_desk(desk)
    desk.lies
  end
end
=== app/models/printed_copy.rb
# A printed copy of the desk.
class PrintedCopy
  def front_desk(copy)
    copy.front.desk
  end
end
"#;

const SHOP: &str = r#"
=== app/views/accounts/close.html.erb
<h1>Close your account</h1>
<p>All orders are kept for the tax office.</p>
<%= form_with url: account_path, method: :delete do |form| %>
  <%= form.submit "Close it for ever" %>
<% end %>
=== app/controllers/accounts_controller.rb
class AccountsController
  def destroy
    @account = Account.find(params[:id])
    @account.close
  end
end
=== app/models/order.rb
class Order
  # Orders of an account are kept.
  def keep(account)
    account.orders << self
  end
end
=== web/Basket.vue
<template>
  <h2>What lies in the basket</h2>
  <button @click="clear">Empty it now</button>
</template>
<script>
export default { methods: { clear() { this.items = [] } } }
</script>
=== web/basket_items.js
export function basketItems(basket) {
  return basket.items;
}
=== notes/account.md
# Account

How to close your account: all orders are kept.
"#;

#[test]
fn a_template_is_found_by_the_text_that_its_page_shows() {
    let tree = Tree::new(SHOP);
    let engine = indexed(&tree, "shop", None);
    let check = |query: &str, path: &str| {
        let reply = ask(&engine, query, 5);
        let paths: Vec<&str> = reply.results.iter().map(|hit| hit.path.as_str()).collect();
        assert_eq!(paths.first(), Some(&path), "{query}: {paths:?}");
    };
    check("close your account and keep the tax office", "app/views/accounts/close.html.erb");
    check("what lies in the basket, and empty it now", "web/Basket.vue");
}

#[test]
fn a_text_that_only_a_template_has_word_by_word_is_found_there() {
    let tree = Tree::new(TEXTS);
    let engine = indexed(&tree, "texts", None);
    let reply = ask(&engine, "the printed copy lies at the front desk of printing", 5);
    let paths: Vec<&str> = reply.results.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(paths.first(), Some(&"app/views/receipts/show.html.erb"), "{paths:?}");
}
