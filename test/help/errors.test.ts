// The page of errors: every code that an API answers with has its paragraph, which answers link to.
import { describe, expect, it } from 'vitest';
import { loadConfig } from '#kernel/config/load.ts';
import { renderMarkdown } from '#kernel/views/markdown.ts';
import { readPage } from '#platform/help/index.ts';
import { surfacesOf } from '../../src/app/serve.ts';
import { exits } from '../../src/cli/frame/exits.ts';

const page = readPage('errors');
const { headings } = renderMarkdown(page, (href) => href);
const described = headings.filter(({ depth }) => depth === 3).map(({ text }) => text);

const { config } = await loadConfig({ cwd: import.meta.dirname, env: { HOME: import.meta.dirname } });
const codes = surfacesOf(config).map((surface) => [surface.name, surface.contract.errors] as const);

describe.each(codes)('%s', (_, errors) => {
  it.each(Object.entries(errors))('explains %s with its status', (code, [status]) => {
    const paragraph = page.split(`\n### ${code}\n\n`)[1]?.split('\n### ')[0] ?? '';
    expect([code, paragraph.startsWith(`Status ${status}`)]).toEqual([code, true]);
  });
});

it('explains no code that nothing answers with', () => {
  const known = new Set(codes.flatMap(([, errors]) => Object.keys(errors)));
  expect(described.filter((code) => !known.has(code))).toEqual([]);
});

it('lists every exit code', () => {
  const listed = [...(page.split('## Exit codes')[1] ?? '').matchAll(/^\| (\d[\d, ]*) \|/gm)].flatMap(
    ([, codes]) => String(codes).split(', ').map(Number),
  );
  expect(listed).toEqual(Object.values(exits));
});
