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

// A filter that is empty narrows nothing: it stays out of the address.
document.addEventListener('formdata', ({ target, formData }) => {
  if (target.method !== 'get') return;
  for (const name of new Set(formData.keys()))
    if (formData.getAll(name).every((value) => value === '')) formData.delete(name);
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
      (name) =>
        $(`label[for="field-${name.replace(/\.time$/, '')}"]`)?.firstChild?.textContent.trim() ?? name,
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
function offerCopies() {
  for (const code of $$('.secret, [data-copy]')) offerCopy(code);
}

function offerCopy(code) {
  if (code.nextElementSibling?.classList.contains('copy')) return;
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
offerCopies();

// ---- The command that does what a form would: the server writes it, of what the form holds.
const commandOf = $('details.command');
let isWriting;

async function writeCommand() {
  const form = commandOf.closest('form');
  const fields = new URLSearchParams(new FormData(form));
  fields.set('_as', 'command');
  const answer = await fetch(form.action, {
    method: 'POST',
    body: fields,
    headers: { 'HX-Request': 'true', 'HX-Target': 'div#command' },
  });
  if (answer.redirected || answer.status === 401) return;
  $('#command').innerHTML = await answer.text();
  offerCopies();
}

if (commandOf) {
  $('button', commandOf).addEventListener('click', (event) => {
    event.preventDefault();
    void writeCommand();
  });
  commandOf.addEventListener('toggle', () => commandOf.open && guarded && void writeCommand());
  guarded?.addEventListener('input', () => {
    clearTimeout(isWriting);
    if (commandOf.open) isWriting = setTimeout(writeCommand, 500);
  });
}

// ---- A range says its value.
for (const one of $$('input[type=range]')) {
  const output = $(`output[for="${one.id}"]`);
  const tell = () => {
    if (output) output.textContent = `${one.value} %`;
  };
  one.addEventListener('input', tell);
  tell();
}

// ---- The point of a picture that stays in sight: by a press or by keys, in the fields that set it without a script.
for (const root of $$('[data-focal]')) {
  const [picture, form] = [$('.focal', root), $('form', root)];
  if (!picture || !form) continue;
  const mark = $('svg svg', picture);
  const { focal_x: x, focal_y: y } = form.elements;
  const within = (value) => String(Math.min(100, Math.max(0, Math.round(value))));
  const draw = () => {
    mark.setAttribute('x', `${within(x.value)}%`);
    mark.setAttribute('y', `${within(y.value)}%`);
    picture.ariaLabel = `Focal point: ${within(x.value)} % from the left, ${within(y.value)} % from the top`;
  };
  const put = (left, top) => {
    [x.value, y.value] = [within(left), within(top)];
    draw();
  };
  picture.tabIndex = 0;
  picture.role = 'application';
  $('[data-focal-hint]').hidden = false;
  picture.addEventListener('click', ({ clientX, clientY }) => {
    const { left, top, width, height } = $('img', picture).getBoundingClientRect();
    put(((clientX - left) / width) * 100, ((clientY - top) / height) * 100);
    picture.focus();
  });
  picture.addEventListener('keydown', (event) => {
    const [right, down] =
      { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [];
    if (right === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const step = event.shiftKey ? 10 : 1;
    put(Number(x.value) + right * step, Number(y.value) + down * step);
  });
  form.addEventListener('input', draw);
  draw();
}

// ---- Uploads: the digest is computed here before the bytes leave, and how far they are is shown. Browsers hash whole
// files only, and on secure pages only; this reads one as a stream.
const PRIMES = [];
for (let n = 2; PRIMES.length < 64; n += 1) if (PRIMES.every((one) => n % one)) PRIMES.push(n);
const fraction = (x) => ((x - Math.floor(x)) * 2 ** 32) | 0;
const ROUNDS = Int32Array.from(PRIMES, (one) => fraction(Math.cbrt(one)));

function sha256() {
  const h = Int32Array.from(PRIMES.slice(0, 8), (one) => fraction(Math.sqrt(one)));
  const w = new Int32Array(64);
  const rest = new Uint8Array(64);
  let [filled, size] = [0, 0];
  function block(view, at) {
    for (let i = 0; i < 16; i += 1) w[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < 64; i += 1) {
      const [x, y] = [w[i - 15], w[i - 2]];
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    let [a, b, c, d, e, f, g, k] = h;
    for (let i = 0; i < 64; i += 1) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t1 = (k + s1 + ((e & f) ^ (~e & g)) + ROUNDS[i] + w[i]) | 0;
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      k = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
    h[5] += f;
    h[6] += g;
    h[7] += k;
  }
  function add(bytes) {
    size += bytes.length;
    let at = 0;
    if (filled > 0) {
      at = Math.min(64 - filled, bytes.length);
      rest.set(bytes.subarray(0, at), filled);
      filled += at;
      if (filled < 64) return;
      block(new DataView(rest.buffer), 0);
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (; at + 64 <= bytes.length; at += 64) block(view, at);
    rest.set(bytes.subarray(at));
    filled = bytes.length - at;
  }
  return {
    add,
    hex() {
      const end = new Uint8Array((filled < 56 ? 64 : 128) - filled);
      end[0] = 128;
      new DataView(end.buffer).setBigUint64(end.length - 8, BigInt(size) * 8n);
      add(end);
      return [...h].map((one) => (one >>> 0).toString(16).padStart(8, '0')).join('');
    },
  };
}

async function upload(form) {
  const file = $('input[type=file]', form).files[0];
  const button = $('button', form);
  const note = document.createElement('div');
  note.className = 'progress';
  const [bar, text] = [document.createElement('progress'), document.createElement('span')];
  bar.ariaLabel = 'Upload';
  text.setAttribute('role', 'status');
  note.append(bar, ' ', text);
  $('.progress', form)?.remove();
  form.append(note);
  button.disabled = true;
  try {
    text.textContent = 'Computing SHA-256…';
    const hash = sha256();
    let read = 0;
    const reader = file.stream().getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      hash.add(next.value);
      read += next.value.length;
      bar.value = read / file.size;
    }
    const hex = hash.hex();
    form.elements.sha256.value = hex;
    text.textContent = 'Uploading…';
    const sent = await new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open('POST', form.action);
      request.upload.addEventListener('progress', ({ loaded, total }) => {
        bar.value = loaded / total;
      });
      request.addEventListener('load', () => resolve(request));
      request.addEventListener('error', reject);
      request.send(new FormData(form));
    });
    if (sent.status < 400 && sent.responseURL !== form.action) {
      sessionStorage.setItem('sha256', hex);
      location.assign(sent.responseURL);
      return;
    }
    // What the server says instead of the page that the form leads to.
    const answer = new DOMParser().parseFromString(sent.responseText, 'text/html');
    $('#main').replaceChildren(...($('#main, main', answer) ?? answer.body).childNodes);
    $('.error-summary')?.focus();
  } catch {
    text.textContent = 'The upload was interrupted. Check the connection and upload the file again.';
    bar.remove();
    button.disabled = false;
  }
}

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (!form.matches('form[data-upload]') || !$('input[type=file]', form).files[0]) return;
  event.preventDefault();
  void upload(form);
});

// ---- Pictures: each has its own request and progress. Without a script the form sends them all together.
const PICTURES_AT_ONCE = 2;

// With what the operator finds in the log.
function refusalOf(answer) {
  const id = answer?.details?.request_id;
  return id === undefined ? answer?.error : `${answer.error} (request ${id})`;
}

function sendPicture(form, file, bar) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const request = new XMLHttpRequest();
  request.open('POST', `/api/store/media?${new URLSearchParams({ file_name: file.name })}`);
  request.setRequestHeader('Content-Type', 'application/octet-stream');
  request.setRequestHeader('X-CSRF-Token', form.elements._csrf.value);
  request.responseType = 'json';
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    bar.value = loaded / total;
  });
  const lost = 'The upload was interrupted. Check the connection and upload it again.';
  request.addEventListener('load', () =>
    request.status < 300
      ? resolve(request.response.data.id)
      : reject(new Error(refusalOf(request.response) ?? lost)),
  );
  request.addEventListener('error', () => reject(new Error(lost)));
  request.send(file);
  return promise;
}

async function takePicture(form, file) {
  const line = document.createElement('li');
  const [bar, text] = [document.createElement('progress'), document.createElement('span')];
  bar.ariaLabel = file.name;
  bar.value = 0;
  text.textContent = file.name;
  line.append(text, ' ', bar);
  $('.sent', form).append(line);
  try {
    return await sendPicture(form, file, bar);
  } catch (error) {
    line.className = 'field-error';
    text.textContent = `${file.name}: ${error.message}`;
    bar.remove();
    return null;
  }
}

async function attachToProduct(form, ids) {
  const product = form.elements.product.value;
  if (product === '' || ids.length === 0) return;
  const answer = await fetch(`/api/store/products/${encodeURIComponent(product)}/media`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': form.elements._csrf.value },
    body: JSON.stringify({ media_ids: ids }),
  });
  if (!answer.ok) throw new Error((await answer.json()).error);
}

async function takePictures(form, files) {
  const button = $('button', form);
  button.disabled = true;
  $('.sent', form).replaceChildren();
  const all = [...files];
  const waiting = [...all.keys()];
  const taken = [];
  const work = async () => {
    for (let at = waiting.shift(); at !== undefined; at = waiting.shift())
      taken[at] = await takePicture(form, all[at]);
  };
  try {
    await Promise.all(Array.from({ length: PICTURES_AT_ONCE }, work));
    const ids = taken.filter((id) => id !== null);
    await attachToProduct(form, ids);
    if (ids.length === all.length) {
      const after = new URL(form.dataset.pictures, location.href);
      if (after.pathname + after.search === location.pathname + location.search) location.reload();
      else location.assign(after);
    }
  } catch (error) {
    $('.sent', form).append(`The pictures are in the library, but not with the product: ${error.message}`);
  } finally {
    button.disabled = false;
  }
}

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (!form.matches('form[data-pictures]')) return;
  event.preventDefault();
  void takePictures(form, $('input[type=file]', form).files);
});

for (const type of ['dragover', 'dragleave', 'drop'])
  document.addEventListener(type, (event) => {
    const form = event.target.closest?.('form[data-pictures]');
    if (!form) return;
    event.preventDefault();
    form.classList.toggle('over', type === 'dragover');
    if (type === 'drop' && event.dataTransfer.files.length > 0)
      void takePictures(form, event.dataTransfer.files);
  });

// What this browser computed stands beside what the server computed.
const stored = $('[data-sha256]');
if (stored && sessionStorage.getItem('sha256') === stored.textContent) {
  const same = document.createElement('span');
  same.className = 'badge ok';
  same.textContent = 'same as computed in this browser';
  stored.after(' ', same);
}

// ---- Lists that are followed as they grow: a stream announces new rows, and the list is read again as it is shown.
const liveLine = $('[data-live]');
const rowKey = (row) => $('input[name=ids]', row)?.value ?? row.textContent;
let [tail, timer, isReading, isStale, address, isLive] = [null, null, false, false, null, false];

function tellLive(text) {
  const [button, note] = liveLine.children;
  button.textContent = isLive ? 'Pause' : 'Live';
  button.setAttribute('aria-pressed', String(isLive));
  note.textContent = text;
}

function stopLive(text = '') {
  tail?.close();
  clearInterval(timer);
  [tail, timer, address, isLive] = [null, null, null, false];
  tellLive(text);
}

async function readAgain() {
  const line = $('#list [data-follows]');
  if (!line) return;
  if (isReading) {
    isStale = true;
    return;
  }
  [isReading, isStale] = [true, false];
  try {
    const asked = line.dataset.follows;
    const answer = await fetch(asked, { headers: { 'HX-Request': 'true', 'HX-Target': 'div#list' } });
    const text = await answer.text();
    // Whoever is signed out is led to another page.
    if (!answer.ok || answer.redirected)
      return stopLive('The live list ended. Reload the page to sign in again.');
    if (isLive && $('#list [data-follows]')?.dataset.follows === asked) showRows(text);
  } catch {
    tellLive('The server does not answer. Trying again…');
  } finally {
    isReading = false;
  }
  if (isStale) setTimeout(readAgain, 200);
}

function showRows(html) {
  const list = $('#list');
  const known = new Set($$('.rows tbody tr', list).map(rowKey));
  const picked = new Set(
    picks()
      .filter((one) => one.checked)
      .map((one) => one.value),
  );
  const focused = list.contains(document.activeElement) && document.activeElement.getAttribute('href');
  list.innerHTML = html;
  globalThis.htmx?.process(list);
  for (const one of picks()) one.checked = picked.has(one.value);
  for (const row of $$('.rows tbody tr', list)) if (!known.has(rowKey(row))) row.classList.add('fresh');
  if (focused) $(`a[href="${CSS.escape(focused)}"]`, list)?.focus();
  prepareList();
  follow();
}

/** Follows the list that is shown: one with other filters by another stream. */
function follow() {
  if (!isLive) return;
  const line = $('#list [data-follows]');
  if (!line) return stopLive('Only the first page, newest first, can be followed.');
  if (address === line.dataset.follows) return;
  tail?.close();
  clearInterval(timer);
  address = line.dataset.follows;
  const { stream } = line.dataset;
  tellLive('Live: new rows appear on top.');
  if (!stream) {
    timer = setInterval(() => document.hidden || readAgain(), 1000);
    return;
  }
  tail = new EventSource(stream);
  tail.addEventListener('open', () => {
    tellLive('Live: new rows appear on top.');
    void readAgain();
  });
  tail.addEventListener('message', readAgain);
  tail.addEventListener('error', ({ target }) => {
    if (target.readyState === EventSource.CLOSED)
      return stopLive('The live list ended. Reload the page to sign in again.');
    tellLive('The connection was lost. Trying again…');
    // The list says at once whether that is because its reader is signed out.
    void readAgain();
  });
}

if (liveLine) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet';
  button.addEventListener('click', () => {
    if (isLive) return stopLive('Paused.');
    isLive = true;
    follow();
    void readAgain();
  });
  liveLine.append(button, document.createElement('span'));
  tellLive('');
  document.addEventListener('htmx:after:swap', follow);
}

// ---- The palette: pages by their names, everything else by a search.
const palette = $('#palette');
const asked = $('#palette-text');

function narrowPages() {
  const text = asked.value.trim().toLowerCase();
  for (const one of $$('#palette-pages li'))
    one.hidden = !`${one.textContent} ${one.dataset.words}`.toLowerCase().includes(text);
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

// ---- Help: the page of the manual about what is shown, beside it; its links lead on in the same place.
const help = $('#help');
$('[data-help]')?.addEventListener('click', (event) => {
  if (!event.ctrlKey && !event.metaKey && !event.shiftKey && !help.open) help.showModal();
});
help?.addEventListener('click', (event) => {
  const href = event.target.closest('#help-text a')?.getAttribute('href') ?? '';
  if (event.target === help) help.close();
  if (!/^\/help(?:\/|$)/.test(href) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  help.scrollTop = 0;
  void globalThis.htmx?.ajax('GET', href, { target: '#help-text', swap: 'innerHTML' });
});

// ---- Who else is at this item: asked every half minute while somebody works here, so that no forgotten tab keeps a
// session alive or is taken for a person.
const here = $('[data-here]');
const WORKS_MS = 300_000;
let [workedAt, told] = [Date.now(), ''];

async function beat() {
  if (document.hidden || Date.now() - workedAt > WORKS_MS) return;
  const fields = new URLSearchParams({ _csrf: $('meta[name=csrf-token]').content });
  if ('edits' in here.dataset) fields.set('edits', 'true');
  const headers = { 'HX-Request': 'true', 'HX-Target': 'div#here' };
  const answer = await fetch(here.dataset.here, { method: 'POST', body: fields, headers }).catch(() => null);
  const text = answer?.status === 200 ? await answer.text() : '';
  // A reader hears of it once, and not every half minute.
  if (text !== told) here.innerHTML = text;
  told = text;
  if (answer && [401, 403, 404].includes(answer.status)) clearInterval(beats);
}

const beats = here && setInterval(beat, 30_000);
if (here) {
  for (const kind of ['pointerdown', 'pointermove', 'keydown', 'scroll'])
    addEventListener(kind, () => (workedAt = Date.now()), { passive: true });
  document.addEventListener('visibilitychange', beat);
  void beat();
}

// ---- A browser that kept a page of somebody who has signed out asks for it again.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});

// ---- A choice that is made by choosing.
for (const one of $$('[data-submits]')) {
  one.addEventListener('change', () => one.form.requestSubmit());
  const button = one.form.querySelector('button');
  if (button) button.hidden = true;
}

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
  // Charts have tables of their own beside the list, most of them folded away.
  const rows = $('#list') ? $$('#list .rows tbody tr') : $$('.rows tbody tr');
  const links = rows.map((row) => $('a', row)).filter((link) => link?.checkVisibility());
  const at = links.findIndex((link) => link.closest('tr').contains(document.activeElement));
  links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
}

const single = {
  '/': () => $('#q, #find')?.focus(),
  '?': () => $('[data-help]')?.click(),
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
