// Follows every link of the panel, one of each kind, as somebody would who is curious.
import type { Browser } from '../../support/browser.ts';
import type { HttpReply } from '../../support/http-client.ts';

/** What names one thing among its like: ids, numbers and digests. */
const NAME = /[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{16,}|\b\d+\b/g;

/** Pages of one kind differ in what they name alone, and in the values of their queries. */
function kindOf(href: string): string {
  const { pathname, searchParams } = new URL(href, 'http://panel.test');
  const tab = searchParams.get('tab');
  const names = [...new Set(searchParams.keys())].filter((name) => name !== 'tab').sort();
  return [pathname.replaceAll(NAME, '*'), tab, ...names].join(' ');
}

const hrefsIn = (html: string): string[] =>
  [...html.matchAll(/ href="(\/(?:admin|api\/v1\/admin)\/[^"#]*)/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&#34;', '"'),
  );

/**
 * Opens one page of each kind that pages lead to.
 *
 * @param most pages of a kind: two things of one kind may show other tabs
 * @returns what each address answered, the first first
 */
export async function crawl(
  browser: Browser,
  start: readonly string[],
  most = 1,
): Promise<ReadonlyMap<string, HttpReply>> {
  const answers = new Map<string, HttpReply>();
  const seen = new Map<string, number>();
  const waiting = [...start];
  for (let href = waiting.shift(); href !== undefined; href = waiting.shift()) {
    const kind = kindOf(href);
    const before = seen.get(kind) ?? 0;
    if (answers.has(href) || before >= most) continue;
    seen.set(kind, before + 1);
    const reply = await browser.open(href);
    answers.set(href, reply);
    if (/^text\/html/.test(reply.headers['content-type'] ?? '')) waiting.push(...hrefsIn(reply.text));
  }
  return answers;
}
