// setLicenseKey and restarts with another key (licensing.md 7.2).
import { describe, expect, test } from 'vitest';
import { invalid, licenseKey, offline, scripted, until, valid } from './scripted.ts';
import { token } from './signer.ts';

const single = { retry: { attempts: 1 } };
const otherKey = 'APP-ZZZZ-ZZZZ-ZZZZ-ZZZZ';

describe('setLicenseKey', () => {
  /** A client with a token, a last good answer, a mode and a queued use. */
  async function loaded() {
    const one = scripted(() => valid({ licensingMode: 'STANDARD' }), {
      ...single,
      offline: { outageGraceSeconds: 600 },
    });
    await one.client.access();
    await one.client.importOfflineToken(token());
    await one.client.queueUsage('export', 4);
    return one;
  }

  test('another key clears tokens and caches; queued uses are told, and nothing of the old license is said', async () => {
    const one = await loaded();
    await one.client.setLicenseKey(otherKey);
    expect([...one.stored.keys()].sort()).toEqual(['appctl.editor.clock', 'appctl.editor.owner']);
    expect(one.of('usage-uncertain')).toEqual([{ feature: 'export', quantity: 4 }]);
    expect(one.client.mode).toBeNull();
    expect(one.client.feature('sso')).toBeUndefined();
    one.serve(offline);
    expect(await one.client.access()).toMatchObject({ code: 'UNREACHABLE' });
    one.serve(() => valid());
    await one.client.access();
    expect(one.asked.at(-1)?.body.licenseKey).toBe(otherKey);
  });

  test.each([licenseKey, ` ${licenseKey.toLowerCase()} `])(
    '%j is the same key: nothing is cleared',
    async (key) => {
      const one = await loaded();
      await one.client.setLicenseKey(key);
      one.serve(offline);
      expect(await one.client.access({ force: true })).toMatchObject({
        source: 'offline-token',
        allowed: true,
      });
    },
  );

  test('a restart with another key clears too, and with the same one or none it does not', async () => {
    for (const [key, code] of [
      [licenseKey, 'VALID'],
      [undefined, 'VALID'],
      [otherKey, 'UNREACHABLE'],
    ] as const) {
      const { stored } = await loaded();
      const again = scripted(offline, { ...single, stored, licenseKey: key });
      expect(await again.client.access()).toMatchObject({ code });
    }
  });

  test('null takes the license away', async () => {
    const one = await loaded();
    await one.client.setLicenseKey(null);
    expect(await one.client.access()).toMatchObject({ code: 'NO_LICENSE_KEY', allowed: false });
    expect([...one.stored.keys()]).toEqual(['appctl.editor.clock']);
  });

  test('a token that was imported before the key was known is kept', async () => {
    const one = scripted(offline, { ...single, licenseKey: undefined });
    await one.client.importOfflineToken(token());
    await one.client.setLicenseKey(licenseKey);
    expect(await one.client.access()).toMatchObject({ source: 'offline-token', allowed: true });
  });

  test('an answer about the key before does not count for the new one', async () => {
    const answers: (() => void)[] = [];
    const one = scripted((asked) => {
      const answer = asked.body.licenseKey === otherKey ? invalid('REVOKED') : valid();
      return new Promise((resolve) => answers.push(() => resolve(answer)));
    });
    const access = one.client.access();
    await until(() => answers.length === 1);
    await one.client.setLicenseKey(otherKey);
    answers[0]?.();
    await until(() => answers.length === 2);
    answers[1]?.();
    expect(await access).toMatchObject({ code: 'REVOKED' });
    expect(one.of('access').map(({ code }) => code)).toEqual(['REVOKED']);
  });
});
