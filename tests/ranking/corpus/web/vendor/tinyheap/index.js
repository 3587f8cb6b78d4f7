// tinyheap 1.0: a binary heap. Vendored; see its own repository for changes.

module.exports = class TinyHeap {
  constructor(compare) {
    this.items = [];
    this.compare = compare;
  }

  push(item) {
    this.items.push(item);
    let at = this.items.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.compare(this.items[at], this.items[parent]) >= 0) break;
      [this.items[at], this.items[parent]] = [this.items[parent], this.items[at]];
      at = parent;
    }
  }

  peek() {
    return this.items[0];
  }
};
