// Bodies of pages that are kept for visitors of whom nothing is known.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { page, show } from '#kernel/http/page.ts';
import { openTestContext, type TestContext } from '../../support/context.ts';
import { type PageServer, servePages } from '../../support/page-server.ts';

const state = { text: 'old', revision: 1 };
let duringShow: () => void = () => undefined;

const kept = page({
  path: '/kept',
  title: 'Kept',
  audience: 'public',
  kept: { seconds: 60, revision: async () => state.revision },
  show: async () => {
    const { text } = state;
    duringShow();
    return show('sample/kept', { text });
  },
});

let context: TestContext;
let server: PageServer;
beforeAll(async () => {
  context = await openTestContext();
  server = await servePages({
    ctx: context.ctx,
    pages: [kept],
    templates: { 'sample/kept': '<p><%= text %></p>' },
  });
});
afterAll(async () => {
  server.close();
  await context.close();
});

it('what changes while a page is put together is not hidden by the body that was put together', async () => {
  duringShow = () => Object.assign(state, { text: 'new', revision: 2 });
  expect((await server.send('/kept')).text).toContain('<p>old</p>');
  duringShow = () => undefined;
  expect((await server.send('/kept')).text).toContain('<p>new</p>');
  state.text = 'unnoticed';
  expect((await server.send('/kept')).text).toContain('<p>new</p>');
});
