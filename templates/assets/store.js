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
