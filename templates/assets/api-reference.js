// Fills the API reference, and takes away the list that stands there without JavaScript. Nothing is asked of any other
// server: the validator badge would be. A call made here with a session is one of it, so a write carries its token.
const place = document.getElementById('reference');
const token = document.querySelector('meta[name=csrf-token]')?.content;

// Every example of an id ends like this, and these are the key and the product of all examples.
const ID = /\b([a-z]{3}_)01KB3Q8Z5T8N4W2X6Y7V9C1D3F\b/g;
const KEY = 'APP-7F3K-9M2Q-4XWD-8H6T';
const ORDER = '1001';
/** By the prefix of the product's id: of licenses, and of the shop. */
const SLUGS = { prd_: 'editor', pdt_: 'enamel-camp-mug' };

/** What answers had instead of the examples: ids by their prefix, a license key, an order, slugs of products. */
const met = { ids: {}, key: KEY, order: ORDER, slugs: { ...SLUGS } };

const response = await fetch(new URLSearchParams(location.search).get('document') ?? place.dataset.document);
const original = await response.json();

/** An optional parameter is not filled in: an example of every filter at once would find nothing. */
function withoutOptional(parameter) {
  if (!parameter.required) delete parameter.example;
}
for (const item of Object.values(original.paths))
  for (const operation of Object.values(item)) (operation.parameters ?? []).forEach(withoutOptional);
Object.values(original.components.parameters ?? {}).forEach(withoutOptional);
const text = JSON.stringify(original);

function filled() {
  let whole = text
    .replace(ID, (example, prefix) => met.ids[prefix] ?? example)
    .replaceAll(KEY, met.key)
    .replaceAll(`"${ORDER}"`, JSON.stringify(met.order));
  for (const [prefix, slug] of Object.entries(SLUGS))
    whole = whole.replaceAll(`"${slug}"`, JSON.stringify(met.slugs[prefix]));
  return JSON.parse(whole);
}

/** Remembers what an answer names, the first of a list. Returns whether anything is new. */
function learn(value, seen = new Set()) {
  if (typeof value !== 'object' || value === null) return false;
  let isNew = false;
  for (const [name, one] of Object.entries(value)) {
    // Bodies of events are shown as examples themselves.
    if (typeof one === 'object' && name !== 'example') isNew = learn(one, seen) || isNew;
    if (typeof one !== 'string') continue;
    const prefix = /^([a-z]{3}_)[0-9A-Z]{26}$/.exec(one)?.[1];
    if (prefix && !seen.has(prefix)) {
      seen.add(prefix);
      isNew ||= met.ids[prefix] !== one;
      met.ids[prefix] = one;
    }
    if (name === 'key' && /^[0-9A-Z]+(-[0-9A-Z]+)+$/.test(one)) {
      isNew ||= met.key !== one;
      met.key = one;
    }
    if (name === 'order_number') {
      isNew ||= met.order !== one;
      met.order = one;
    }
    const owner = String(value.id).slice(0, 4);
    if (name === 'slug' && owner in SLUGS && !seen.has(`${owner}slug`)) {
      seen.add(`${owner}slug`);
      isNew ||= met.slugs[owner] !== one;
      met.slugs[owner] = one;
    }
  }
  return isNew;
}

/** Without a credential of a program, a write is one of the browser's session: the shop says its token. */
async function tokenFor({ method, headers }) {
  if (token !== undefined) return token;
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  if (/^(get|head)$/i.test(method ?? 'get') || names.includes('authorization') || names.includes('x-api-key'))
    return undefined;
  const answer = await fetch('/api/shop/session');
  return answer.ok ? (await answer.json()).data.csrf_token : undefined;
}

const reference = SwaggerUIBundle({
  spec: filled(),
  domNode: place,
  deepLinking: true,
  // Of a large document only what is in sight is drawn: the search of the browser does not find the rest.
  filter: true,
  docExpansion: place.dataset.expansion ?? 'none',
  displayRequestDuration: true,
  tryItOutEnabled: token === undefined,
  persistAuthorization: false,
  validatorUrl: null,
  requestInterceptor: async (request) => {
    const given = await tokenFor(request);
    if (given !== undefined) request.headers['X-CSRF-Token'] = given;
    return request;
  },
  responseInterceptor: (answer) => {
    // What a call returned is the example of the calls that are opened after it.
    if (answer.ok && learn(answer.body ?? answer.obj)) {
      reference.specActions.updateJsonSpec(filled());
    }
    return answer;
  },
  onComplete: () => document.getElementById('operations')?.remove(),
});
