// Keys and small comforts; every page works without.
"use strict";

(function () {
  function link(name) {
    const found = document.querySelector('a[data-key="' + name + '"]');
    if (found) { found.click(); }
    return Boolean(found);
  }

  const rows = Array.from(document.querySelectorAll("a[data-row]"));

  function step(by) {
    const at = rows.indexOf(document.activeElement);
    const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by;
    if (next < 0) { return link("previous-page"); }
    if (next >= rows.length) { return link("next-page"); }
    rows[next].focus();
    rows[next].scrollIntoView({ block: "nearest" });
    return true;
  }

  const actions = {
    j: function () { return rows.length ? step(1) : link("next"); },
    k: function () { return rows.length ? step(-1) : link("previous"); },
    ArrowDown: function () { return rows.length > 0 && step(1); },
    ArrowUp: function () { return rows.length > 0 && step(-1); },
    ArrowRight: function () { return link("next") || link("next-page"); },
    ArrowLeft: function () { return link("previous") || link("previous-page"); },
    u: function () { return link("back"); },
    Escape: function () { return link("back"); },
    "/": function () {
      const box = document.getElementById("gene") || document.getElementById("text");
      if (box) { box.focus(); }
      return Boolean(box);
    },
  };

  document.addEventListener("keydown", function (event) {
    const target = event.target;
    const typing = target instanceof Element && target.closest("input, select, textarea, [contenteditable]");
    const scrolled = target instanceof Element && target.closest(".scrolled") && event.key.startsWith("Arrow");
    if (event.altKey || event.ctrlKey || event.metaKey || typing || (scrolled && !target.dataset.row)) { return; }
    const action = actions[event.key];
    if (action && action()) { event.preventDefault(); }
  });

  const came = /^#s\d+$/.test(location.hash) && document.querySelector(location.hash + " a");
  if (came) {  // after the browser has gone to the fragment, which takes the focus away
    window.addEventListener("load", function () { setTimeout(function () { came.focus(); }, 50); });
  }

  const form = document.getElementById("filters");
  if (form) {
    form.addEventListener("submit", function () {  // an address without what is not chosen
      Array.from(form.elements).forEach(function (field) {
        if (field.name && field.value === "") { field.disabled = true; }
      });
    });
    window.addEventListener("pageshow", function () {
      Array.from(form.elements).forEach(function (field) { field.disabled = false; });
    });
  }
}());
