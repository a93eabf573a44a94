// What the panel does in a browser beyond its pages, all of which work without it.
const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
const body = document.body;

// A script sends the token of the page with every form (htmx 4 inherits no header from the body).
document.addEventListener('htmx:config:request', (event) => {
  const token = $('meta[name=csrf-token]')?.content;
  const { request } = event.detail.ctx;
  if (token && request.method !== 'GET') request.headers['X-CSRF-Token'] = token;
});

// ---- Lists: ranges with shift, everything on the page, and how many are selected.
let last = null;
const picks = () => $$('.rows input[name=ids]');
const all = () => $('.bulk input[name=all]');

function countPicked() {
  const bar = $('.bulk-bar');
  if (!bar) return;
  const count = picks().filter((one) => one.checked).length;
  bar.dataset.count = String(count);
  const legend = $('legend', bar);
  legend.dataset.text ??= legend.textContent;
  const isAll = all()?.checked;
  legend.textContent =
    count === 0 && !isAll ? legend.dataset.text : `${isAll ? 'All that match' : count} selected`;
  for (const button of $$('button', bar)) button.disabled = count === 0 && !isAll;
}

function prepareList() {
  const head = $('.rows thead .pick');
  if (head && !$('input', head)) {
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.ariaLabel = 'Select all on this page';
    box.addEventListener('change', () => {
      for (const one of picks()) one.checked = box.checked;
      countPicked();
    });
    head.append(box);
  }
  countPicked();
}

document.addEventListener('click', (event) => {
  const box = event.target;
  if (!(box instanceof HTMLInputElement) || box.name !== 'ids') return;
  const boxes = picks();
  if (event.shiftKey && last && boxes.includes(last)) {
    const [from, to] = [boxes.indexOf(last), boxes.indexOf(box)].sort((one, other) => one - other);
    for (const one of boxes.slice(from, to + 1)) one.checked = box.checked;
  }
  last = box;
});
document.addEventListener('change', (event) => {
  if (event.target.closest('.bulk')) countPicked();
});

// ---- Forms: what was changed, saving by key, and no loss by leaving.
const guarded = $('form[data-guard]');
const first = guarded && new Map([...new FormData(guarded)].map(([name, value]) => [name, String(value)]));
let isSent = false;

function changedFields() {
  if (!guarded) return [];
  const now = new Map([...new FormData(guarded)].map(([name, value]) => [name, String(value)]));
  return [...new Set([...first.keys(), ...now.keys()])].filter((name) => first.get(name) !== now.get(name));
}

if (guarded) {
  const note = document.createElement('span');
  note.className = 'changed';
  note.setAttribute('role', 'status');
  $('.buttons', guarded).append(note);
  guarded.addEventListener('input', () => {
    const names = changedFields().map(
      (name) => $(`label[for="field-${name}"]`)?.firstChild?.textContent.trim() ?? name,
    );
    note.textContent = names.length === 0 ? '' : `Changed: ${names.join(', ')}`;
  });
  guarded.addEventListener('submit', () => {
    isSent = true;
  });
  addEventListener('beforeunload', (event) => {
    if (!isSent && changedFields().length > 0) event.preventDefault();
  });
}

// ---- Menus close by Escape, and when the focus or a press goes elsewhere.
for (const menu of $$('details.more')) {
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !menu.open) return;
    menu.open = false;
    $('summary', menu).focus();
  });
  menu.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget && !menu.contains(relatedTarget)) menu.open = false;
  });
  document.addEventListener('click', ({ target }) => {
    if (!menu.contains(target)) menu.open = false;
  });
}

// ---- Copying what is shown once.
for (const code of $$('.secret, [data-copy]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'Copied';
  });
  code.after(' ', button);
}

// ---- The palette: pages by their names, everything else by a search.
const palette = $('#palette');
const asked = $('#palette-text');

function narrowPages() {
  const text = asked.value.trim().toLowerCase();
  for (const one of $$('#palette-pages li')) one.hidden = !one.textContent.toLowerCase().includes(text);
}

function openPalette() {
  if (!palette || palette.open) return;
  palette.showModal();
  asked.select();
  narrowPages();
}

const choices = () => $$('#palette a').filter((one) => !one.closest('[hidden]'));

if (palette) {
  asked.addEventListener('input', narrowPages);
  palette.addEventListener('keydown', (event) => {
    const links = choices();
    const at = links.indexOf(document.activeElement);
    if (event.key === 'ArrowDown') (links[at + 1] ?? links[0])?.focus();
    else if (event.key === 'ArrowUp') (at <= 0 ? asked : links[at - 1]).focus();
    else if (event.key === 'Enter' && document.activeElement === asked) links[0]?.click();
    // A search field takes the first Escape to empty itself.
    else if (event.key === 'Escape') palette.close();
    else return;
    event.preventDefault();
  });
  palette.addEventListener('click', (event) => {
    if (event.target === palette) palette.close();
  });
}

// ---- A choice that is made by choosing.
for (const one of $$('[data-submits]')) one.addEventListener('change', () => one.form.requestSubmit());

// ---- Keys. Whoever does not want the single ones switches them off in the profile (WCAG 2.1.4).
const hasKeys = body.dataset.keys !== 'off';
let isGoing = false;

function isTyping({ target }) {
  return (
    target.isContentEditable ||
    (/^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && target.type !== 'checkbox')
  );
}

function moveRow(by) {
  const links = $$('.rows tbody tr')
    .map((row) => $('a', row))
    .filter(Boolean);
  const at = links.findIndex((link) => link.closest('tr').contains(document.activeElement));
  links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
}

const single = {
  '/': () => $('#q, #find')?.focus(),
  '?': () => $('#keys')?.showModal(),
  c: () => $('[data-key=create]')?.click(),
  e: () => $('[data-key=edit]')?.click(),
  j: () => moveRow(1),
  k: () => moveRow(-1),
  x: () => $('input[name=ids]', document.activeElement.closest('tr') ?? undefined)?.click(),
  '[': () => $('.pages [rel=prev]')?.click(),
  ']': () => $('.pages [rel=next]')?.click(),
};

document.addEventListener('keydown', (event) => {
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && event.key === 'k') {
    event.preventDefault();
    return openPalette();
  }
  if (isCommand && event.key === 's' && guarded) {
    event.preventDefault();
    return guarded.requestSubmit();
  }
  if (isCommand || event.altKey || !hasKeys || isTyping(event) || $('dialog[open]')) return;
  if (isGoing) {
    isGoing = false;
    const link = $(`.side [data-go="${CSS.escape(event.key)}"]`);
    if (!link) return;
    event.preventDefault();
    return link.click();
  }
  isGoing = event.key === 'g';
  if (!Object.hasOwn(single, event.key)) return;
  event.preventDefault();
  single[event.key]();
});

for (const one of $$('[data-opens]')) {
  one.hidden = false;
  one.addEventListener('click', () =>
    one.dataset.opens === 'palette' ? openPalette() : $(`#${one.dataset.opens}`).showModal(),
  );
}

document.addEventListener('htmx:after:swap', prepareList);
prepareList();
