// What the pages of the shop do faster with a script. Without it, or when it fails, the same forms are sent as they are.
const FRAGMENT = 'text/html;fragment=1';
const said = document.getElementById('said');

/** Puts the parts of an answer in place of those of the page. */
function swap(html) {
  const answer = new DOMParser().parseFromString(html, 'text/html');
  const parts = [...answer.querySelectorAll('[data-part]')];
  if (parts.length === 0) throw new Error('the answer has no parts');
  const focused = document.activeElement?.id;
  // Before the parts are taken out of the answer.
  const news = answer.querySelector('[data-said]')?.textContent.trim() ?? '';
  for (const part of parts) document.getElementById(part.id)?.replaceWith(part);
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  if (said) said.textContent = news;
}

let running = null;

/** Only the last choice counts: what was asked for before it is given up. */
async function send(form) {
  running?.abort();
  running = new AbortController();
  const url = new URL(form.action || location.pathname, location.href);
  const fields = [...new FormData(form)].filter(([, value]) => value !== '');
  url.search = new URLSearchParams(fields).toString();
  const answer = await fetch(url, { headers: { Accept: FRAGMENT }, signal: running.signal });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  swap(await answer.text());
  history.replaceState(null, '', url);
}

for (const form of document.querySelectorAll('form[data-enhance]')) {
  form.classList.add('enhanced');
  const enhanced = (event) => {
    if (!form.hasAttribute('data-enhance')) return;
    event.preventDefault();
    send(form).catch((error) => {
      if (error.name === 'AbortError') return;
      form.removeAttribute('data-enhance');
      form.submit();
    });
  };
  form.addEventListener('submit', enhanced);
  if (form.hasAttribute('data-autosubmit')) form.addEventListener('change', () => form.requestSubmit());
}

const PAUSE_MS = 200;
const LEAST = 2;

/** Suggestions under the search field: a combobox, whose list is chosen from while the field keeps the focus. */
function suggesting(field) {
  const { suggestions, category, counts } = field.dataset;
  const list = document.createElement('ul');
  list.id = 'suggestions';
  list.hidden = true;
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', suggestions);
  field.form.append(list);
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-controls': list.id,
    'aria-expanded': 'false',
  }))
    field.setAttribute(name, value);
  let timer;
  let asked = null;
  let active = -1;

  const point = (to) => {
    list.children[active]?.setAttribute('aria-selected', 'false');
    active = to;
    const option = list.children[active];
    if (option) {
      option.setAttribute('aria-selected', 'true');
      field.setAttribute('aria-activedescendant', option.id);
      option.scrollIntoView({ block: 'nearest' });
    } else field.removeAttribute('aria-activedescendant');
  };
  const open = (isOpen) => {
    list.hidden = !isOpen;
    field.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen) point(-1);
  };
  const stop = () => {
    clearTimeout(timer);
    asked?.abort();
    open(false);
  };
  const optionOf = ([href, text, note], at) => {
    const option = document.createElement('li');
    option.id = `suggestion-${at}`;
    option.dataset.href = href;
    option.setAttribute('role', 'option');
    option.setAttribute('aria-selected', 'false');
    const words = document.createElement('bdi');
    words.textContent = text;
    option.append(words);
    if (note) {
      const small = document.createElement('small');
      small.textContent = note;
      option.append(' ', small);
    }
    return option;
  };
  const ask = async () => {
    asked?.abort();
    const own = (asked = new AbortController());
    const q = field.value.trim();
    const answer = await fetch(`/api/shop/search/suggest?${new URLSearchParams({ q })}`, {
      signal: own.signal,
    });
    if (!answer.ok) return open(false);
    const { data } = await answer.json();
    if (own !== asked || document.activeElement !== field) return;
    const found = [
      ...data.categories.map(({ slug, name }) => [
        `/shop/categories/${encodeURIComponent(slug)}`,
        name,
        category,
      ]),
      ...data.products.map(({ slug, title, brand }) => [
        `/shop/products/${encodeURIComponent(slug)}`,
        title,
        brand,
      ]),
    ];
    point(-1);
    list.replaceChildren(...found.map(optionOf));
    open(found.length > 0);
    if (said) said.textContent = counts.split('|')[found.length] ?? '';
  };
  field.addEventListener('input', () => {
    stop();
    // Whatever goes wrong: the form finds without suggestions.
    if (field.value.trim().length >= LEAST)
      timer = setTimeout(() => ask().catch(() => open(false)), PAUSE_MS);
  });
  field.addEventListener('keydown', (event) => {
    if (event.isComposing || list.hidden) return;
    const { length } = list.children;
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) {
      // Before the first and after the last one is the field itself.
      point(((active + 1 + steps[event.key] + length + 1) % (length + 1)) - 1);
    } else if (event.key === 'Escape') open(false);
    else if (event.key === 'Enter' && active >= 0) location.assign(list.children[active].dataset.href);
    else return;
    event.preventDefault();
  });
  field.addEventListener('blur', stop);
  field.form.addEventListener('submit', stop);
  // The field keeps the focus.
  list.addEventListener('pointerdown', (event) => event.preventDefault());
  list.addEventListener('click', ({ target }) => {
    const option = target.closest('[role=option]');
    if (option) location.assign(option.dataset.href);
  });
}

const find = document.getElementById('find');
if (find?.dataset.suggestions) suggesting(find);

// The name of the button stays: whether it is pressed says what the field shows.
for (const field of document.querySelectorAll('input[data-show]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'plain reveal';
  button.textContent = field.dataset.show;
  const show = (isShown) => {
    field.type = isShown ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(isShown));
  };
  show(false);
  button.setAttribute('aria-controls', field.id);
  button.addEventListener('click', () => show(field.type === 'password'));
  // Nothing that was readable is kept by the browser as an ordinary text.
  field.form?.addEventListener('submit', () => show(false));
  field.after(' ', button);
}

// Beside what is shown to be copied.
for (const code of document.querySelectorAll('[data-copy]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'plain';
  button.textContent = code.dataset.copy;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = code.dataset.copied;
      if (said) said.textContent = code.dataset.copied;
    } catch {
      getSelection().selectAllChildren(code);
    }
  });
  code.after(' ', button);
}
