// Answers that would harm what reads them: too long, or nested too deep.
import { describe, expect, test } from 'vitest';
import { type Answer, activation, license, offline, scripted, valid } from './scripted.ts';

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** A good answer whose license holds this value. */
function holding(value: string): Answer {
  const features = { brackets: '[[\\"{', value: 'VALUE' };
  const { body } = valid({ license: { ...license, features }, activation });
  return { status: 200, body: JSON.stringify(body).replace('"VALUE"', value) };
}

describe('no answer', () => {
  test.each([
    ['values nested without end', deep(20_000)],
    ['values nested deeper than a server takes', deep(65)],
    ['more than any license holds', `"${'x'.repeat(2 * 1024 * 1024)}"`],
  ])('%s', async (_what, value) => {
    const { client, asked, of } = scripted(() => holding(value), { offline: { outageGraceSeconds: 60 } });
    expect(await client.access()).toMatchObject({ code: 'UNREACHABLE', allowed: false, source: 'none' });
    const code = await client.activate().catch((error) => error.code);
    expect([code, asked.length]).toEqual(['BAD_RESPONSE', 2]);
    expect(of('background-error')).toEqual([]);
  });

  test('a refusal of that kind is none, and says nothing about the license', async () => {
    const body = `{"success":false,"error":{"code":"ACTIVATION_FAILED","message":"no","details":${deep(20_000)}}}`;
    const { client } = scripted(() => ({ status: 400, body }));
    await expect(client.activate()).rejects.toMatchObject({ name: 'ClientError', code: 'BAD_RESPONSE' });
  });
});

test('values nested as deep as a server takes are an answer, and brackets in a text nest nothing', async () => {
  const value = `[${deep(32)},${deep(32)},"${'[['.repeat(500)}",[]]`;
  const { client } = scripted(() => holding(value));
  expect(await client.access()).toMatchObject({ code: 'VALID', features: { brackets: '[[\\"{' } });
});

test('what is kept is judged in the same way', async () => {
  const grace = { offline: { outageGraceSeconds: 60 }, retry: { attempts: 1 } };
  const { client, stored } = scripted(() => valid(), grace);
  await client.access();
  const kept = stored.get('appctl.editor.answer') ?? '';
  stored.set('appctl.editor.answer', kept.replaceAll('"sso":true', `"sso":${deep(20_000)}`));
  expect(stored.get('appctl.editor.answer')).not.toBe(kept);
  const again = scripted(offline, { ...grace, stored });
  expect(await again.client.access()).toMatchObject({ code: 'UNREACHABLE', allowed: false });
});

test('a long answer whose texts hold many quotes, or never end, is read at once', async () => {
  const quotes = '\\"'.repeat(500_000);
  const { client, serve } = scripted(() => holding(`"${quotes}"`));
  expect(await client.access()).toMatchObject({ code: 'VALID' });
  serve(() => ({ status: 200, body: `{"success":true,"x":"${quotes}` }));
  expect(await client.access({ force: true })).toMatchObject({ code: 'UNREACHABLE' });
});
