// What a process remembers of who is where is bounded, whoever sends beats how often.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { noteHere } from '#platform/panel/screens/presence.ts';
import { startApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const as = (id: string, tenantId = 'tnt_one'): Ctx =>
  app.ctx.with({ actor: { kind: 'staff', id, label: id }, tenantId });

it('keeps at most a thousand of a tenant, those that beat last, and none of another tenant goes for them', () => {
  noteHere(as('usr_far', 'tnt_two'), 'things 1', false);
  noteHere(as('usr_first'), 'things 1', false);
  for (let i = 0; i < 998; i += 1) noteHere(as('usr_many'), `more ${i}`, false);
  expect(noteHere(as('usr_last'), 'things 1', false).map(({ label }) => label)).toEqual(['usr_first']);
  // One too many: whoever beat longest ago is forgotten.
  noteHere(as('usr_one_more'), 'things 2', false);
  expect(noteHere(as('usr_last'), 'things 1', false)).toEqual([]);
  expect(noteHere(as('usr_near', 'tnt_two'), 'things 1', true)).toEqual([
    { label: 'usr_far', isEditing: false },
  ]);
  app.clock.advance(60);
  expect(noteHere(as('usr_near', 'tnt_two'), 'things 1', false)).toEqual([]);
});
