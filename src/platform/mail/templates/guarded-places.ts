import type { MailSpec } from '#kernel/mail.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { placesOf } from '../template.ts';

const TAG = /<(\/?)([a-z][a-z0-9]*)\b([^>]*)>/g;
const ATTRIBUTE = /([a-z-]+)="([^"]*)"/g;
const PLACE = /\{([a-z][a-z0-9_]{0,40})\}/g;
/** These leave the words around them on one line. */
const INLINE = new Set(
  'a abbr b bdi bdo cite code del em i img ins kbd mark q s small span strong sub sup time u var wbr'.split(
    ' ',
  ),
);

/** What programs that show a mail make a link of by themselves. */
const IS_ADDRESS = /[./@]/;

const isLink = (name: string): boolean => name.endsWith('_url');

/** Its reader alone may learn what is in them: codes, links that open an account or an order, and what the program draws. */
function guardedOf({ placeholders, isSecret }: MailSpec): ReadonlySet<string> {
  return new Set(placeholders.filter((name) => isSecret || isLink(name) || name.endsWith('_html')));
}

const attributesOf = (html: string): { name: string; value: string }[] =>
  [...html.matchAll(TAG)].flatMap(({ 3: inner = '' }) =>
    [...inner.matchAll(ATTRIBUTE)].map(({ 1: name = '', 2: value = '' }) => ({ name, value })),
  );

const wordsOf = (html: string): string =>
  html.replaceAll(TAG, (_tag, _slash, name: string) => (INLINE.has(name) ? '' : '\n'));

/** @returns the name of the first place that would become a part of a foreign address, as `words` have it */
function gluedIn(words: string, guarded: ReadonlySet<string>): string | undefined {
  for (const { index, 1: name = '' } of words.matchAll(PLACE)) {
    if (!guarded.has(name)) continue;
    const before = words.slice(0, index).split(/\s/).at(-1) ?? '';
    if (IS_ADDRESS.test(before) || before.endsWith('}')) return name;
  }
  return undefined;
}

/** @returns the name of the first place that an attribute would send elsewhere */
function sentBy(html: string, guarded: ReadonlySet<string>): string | undefined {
  for (const { name: attribute, value } of attributesOf(html)) {
    const places = placesOf(value).filter((name) => guarded.has(name));
    const [first] = places;
    if (first === undefined) continue;
    const isItsLink = attribute === 'href' && isLink(first) && value.startsWith(`{${first}}`);
    if (!isItsLink || places.length > 1) return first;
  }
  return undefined;
}

/**
 * Refuses words that would carry what only the reader may know to another site: as a part of an address, where one click
 * or the loading of an image sends it, with nothing suspicious to be seen.
 *
 * @param html as `cleanHtml` leaves it
 * @throws AppError VALIDATION_ERROR
 */
export function requireGuarded(mail: MailSpec, { html, text }: { html: string; text: string | null }): void {
  const guarded = guardedOf(mail);
  const sent = sentBy(html, guarded);
  if (sent !== undefined)
    throw invalidField(
      'body_html',
      isLink(sent)
        ? `has {${sent}} inside an address: write <a href="{${sent}}">, with nothing in front of it`
        : `has {${sent}} inside an address or an image: it is private to the reader, so write it as text`,
    );
  const inHtml = gluedIn(wordsOf(html), guarded);
  const inText = text === null ? undefined : gluedIn(text, guarded);
  const name = inHtml ?? inText;
  if (name === undefined) return;
  throw invalidField(
    inHtml === undefined ? 'body_text' : 'body_html',
    `has {${name}} right after something that looks like an address: put a space before it`,
  );
}
