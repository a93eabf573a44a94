// The style sheet of a shop's own: complete, and from nowhere else (shop-pages 9).
import { expect, it } from 'vitest';
import { cssFault } from '../../src/storefront/contract/custom-css.ts';

it.each([
  '',
  'h1 { color: red }',
  '/* @import "x" */ a:hover::before { content: "}{"; background: url(/api/shop/media/x/medium) }',
  '@media (min-width: 40rem) { .grid { gap: calc(1rem + (2px * 3)) } }',
  'a { background: url("data:image/png;base64,AAAA") }',
  'a { mask: url(#clip); content: "https://elsewhere.test" }',
  'a[href^="https://x.test"] { color: blue }',
  ".a\\:b { content: '\\27' }",
  '.\\31 0\\% (x) { color: var(--brand) }',
  'a { background: image-set(linear-gradient(var(--brand), red) 1x) }',
])('%j is taken', (css) => {
  expect(cssFault(css)).toBeNull();
});

it.each([
  ['a {}\n\n@import "//x.test/a.css";', 'line 3: @import is not allowed'],
  ['@\\69mport "/a.css";', 'line 1: @import is not allowed'],
  ['@IMPORT url(/a.css);', 'line 1: @import is not allowed'],
  [
    'a {\n background: url(https://x.test/a.png)\n}',
    'line 2: "https://x.test/a.png" is not a file of this shop',
  ],
  ['a { background: url( "//x.test/a.png" ) }', 'line 1: "//x.test/a.png" is not'],
  ['a { background: u\\72l(http://x.test) }', 'line 1: "http://x.test" is not'],
  ['a { background: url(\\68ttps://x.test) }', 'line 1: "https://x.test" is not'],
  ['a { background: url(/\\\\x.test/a) }', 'is not a file of this shop'],
  ['a { background: image-set("https://x.test/a.png" 1x) }', 'line 1: "https://x.test/a.png" is not'],
  // The blank behind an escape is part of it.
  ['a { background: \\75 rl(//x.test/a) }', 'line 1: "//x.test/a" is not'],
  ['a { background: u\\72\tl(//x.test/a) }', 'line 1: "//x.test/a" is not'],
  ['a { background: ur\\00006c\n(//x.test/a) }', 'line 1: "//x.test/a" is not'],
  ['@\\69 mport "/a.css";', 'line 1: @import is not allowed'],
  [
    'a { --x: "//x.test/a"; background: image-set(var(--x) 1x) }',
    'line 1: var() in image-set() is not allowed; write the address itself',
  ],
  ['a { background: image-set(v\\61 r(--x) 1x) }', 'line 1: var() in image-set() is not allowed'],
  ['a { background: image-set(--address() 1x) }', 'line 1: --address() in image-set() is not allowed'],
  ['a { background: url(javascript:alert(1)) }', 'is not a file of this shop'],
  ['a { background: url(data:text/html,x) }', 'is not a file of this shop'],
  ['a {\r\n color: red;\r\n', 'line 1: a bracket is not closed with }'],
  ['a { color: red }\n}', 'line 2: } closes nothing'],
  ['a { color: (red] }', 'line 1: ] closes nothing'],
  ['a { content: "x\n }', 'line 1: a text in quotes is not closed'],
  ['a {}\n/* x', 'line 2: a comment is not closed'],
  [`a { color: red } /* ${'x'.repeat(51_200)} */`, 'must have at most 50 KB; it has 51 KB'],
])('%j is refused', (css, words) => {
  expect(cssFault(css)).toContain(words);
});
