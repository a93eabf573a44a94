import { expect, test } from 'vitest';
import { markdownBlocks, renderMarkdown } from '#kernel/views/markdown.ts';

const html = (source: string) => renderMarkdown(source, (href) => `/to/${href}`).html;

test('headings can be linked to, also when two say the same', () => {
  const { html, headings } = renderMarkdown("## What's `new`?\n\n## Set up\n\n## Set up\n", (href) => href);
  expect(headings.map(({ text, id }) => [text, id])).toEqual([
    ["What's new?", 'whats-new'],
    ['Set up', 'set-up'],
    ['Set up', 'set-up-1'],
  ]);
  expect(html).toContain('<h2 id="whats-new">What&#39;s <code>new</code>?</h2>');
});

test('text and code are escaped, links are made by the caller', () => {
  expect(html('a < b & `<i>`\n')).toBe('<p>a &lt; b &amp; <code>&lt;i&gt;</code></p>\n');
  expect(html('[a *b*](c.md "t")\n')).toBe('<p><a href="/to/c.md">a <em>b</em></a></p>\n');
  expect(html('```bash\n</code><script>\n```\n')).toBe(
    '<pre tabindex="0"><code>&lt;/code&gt;&lt;script&gt;\n</code></pre>\n',
  );
});

test('a table scrolls by itself', () => {
  expect(html('| a |\n| - |\n| `b` |\n')).toMatch(
    /^<div class="scroll" tabindex="0"><table>\s*<thead><tr><th>a<\/th><\/tr>[\s\S]*<td><code>b<\/code><\/td>/,
  );
});

test.each([
  '<script>alert(1)</script>\n',
  'a <b onclick="x">b</b>\n',
  '<!-- a --> <img src=x onerror=y>\n',
  '<!-- a --><script>-->\n',
])('raw HTML is refused: %j', (source) => {
  expect(() => html(source)).toThrow('raw HTML does not belong in the manual');
  expect(() => markdownBlocks(source)).toThrow('raw HTML does not belong in the manual');
});

test.each(['[a](javascript:alert(1))\n', '[a](data:text/html,b)\n', '![a](https://example.com/b.png)\n'])(
  'an address that could run or load something is refused: %j',
  (source) => {
    expect(() => renderMarkdown(source, (href) => href)).toThrow(/does not belong in the manual/);
  },
);

test('a picture of the caller is shown with its words and size, and is its words in a terminal', () => {
  const picture = (href: string) => ({ address: `/kept/${href}?"`, width: 20, height: 10 });
  const shown = (source: string) => renderMarkdown(source, (href) => href, picture).html;
  expect(shown('![A "list"](b.png)\n')).toBe(
    '<p><img src="/kept/b.png?&#34;" alt="A &#34;list&#34;" width="20" height="10" loading="lazy"></p>\n',
  );
  expect(markdownBlocks('![A list](b.png)\n')).toEqual([
    { kind: 'paragraph', spans: [{ text: '[Picture: A list]', isCode: false }] },
  ]);
  for (const refused of ['![](b.png)\n', '![A](https://example.com/b.png)\n', '![A](data:image/png,b)\n'])
    expect(() => shown(refused)).toThrow('this image does not belong in the manual');
});

test('comments are left out, for browsers and terminals', () => {
  expect(html('a\n\n<!-- before\nrm x\n-->\n\nb <!-- c -->\n')).toBe('<p>a</p>\n<p>b </p>\n');
  expect(markdownBlocks('a\n\n<!-- before\nrm x\n-->\n')).toEqual([
    { kind: 'paragraph', spans: [{ text: 'a', isCode: false }] },
  ]);
});

test('a terminal gets headings, paragraphs, lists, code and tables as text', () => {
  const source =
    '# A\n\n**b** [c](d.md) `e`\n\n- f\n- g\n\n3. h\n\n```sh\ni < j\n```\n\n| k |\n| - |\n| `l` |\n';
  const words = (text: string) => ({ text, isCode: false });
  const code = (text: string) => ({ text, isCode: true });
  expect(markdownBlocks(source)).toEqual([
    { kind: 'heading', depth: 1, spans: [words('A')] },
    { kind: 'paragraph', spans: [words('b'), words(' '), words('c'), words(' '), code('e')] },
    { kind: 'paragraph', spans: [words('f')], bullet: '-' },
    { kind: 'paragraph', spans: [words('g')], bullet: '-' },
    { kind: 'paragraph', spans: [words('h')], bullet: '3.' },
    { kind: 'code', text: 'i < j' },
    { kind: 'table', header: [[words('k')]], rows: [[[code('l')]]] },
  ]);
});

test('what a terminal could not show is refused', () => {
  expect(() => markdownBlocks('> quoted\n')).toThrow('the manual shows no blockquote');
});
