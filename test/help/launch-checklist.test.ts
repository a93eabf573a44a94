import { expect, test } from 'vitest';
import { readPage } from '#platform/help/index.ts';
import { checks } from '../../src/app/capabilities.ts';
import { testPage } from './run-page.ts';

testPage('launch-checklist');

test('the page has a heading for each line that doctor checks, and no other', () => {
  const headings = [...readPage('launch-checklist').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
  const lines = checks.flatMap(({ launch }) => launch ?? []);
  expect([...headings].sort()).toEqual([...lines].sort());
});
