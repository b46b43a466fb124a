"use strict";
// Filters and pages. Without this script every row and answer is simply there.
for (const browser of document.querySelectorAll(".browser")) {
  const rows = [...browser.querySelectorAll(browser.dataset.rows)];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const perPage = Number(browser.dataset.page);
  const [tools, pager] = [browser.querySelector(".tools"), browser.querySelector(".pager")];
  const search = tools.querySelector("input");
  const selects = [...tools.querySelectorAll("select")];
  const count = tools.querySelector(".count");
  const place = pager.querySelector("span");
  let page = 0;

  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (row, nth) =>
      selects.every((select) => !select.value || row.dataset[select.name].split("\x1f").includes(select.value)) &&
      words.every((word) => texts[nth].includes(word));
    const found = rows.filter(fits);
    const pages = Math.max(1, Math.ceil(found.length / perPage));
    page = Math.min(Math.max(page, 0), pages - 1);
    const shown = new Set(found.slice(page * perPage, (page + 1) * perPage));
    for (const row of rows) row.hidden = !shown.has(row);
    count.textContent = `${found.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")}`;
    place.textContent = `${page + 1} / ${pages}`;
    pager.hidden = pages === 1;
    for (const button of pager.querySelectorAll("button")) {
      const next = page + Number(button.dataset.step);
      button.disabled = next < 0 || next >= pages;
    }
  };
  const again = () => { page = 0; show(); };
  search.addEventListener("input", again);
  for (const select of selects) select.addEventListener("change", again);
  for (const button of pager.querySelectorAll("button")) {
    button.addEventListener("click", () => { page += Number(button.dataset.step); show(); });
  }
  tools.hidden = false;
  show();
}
