// Which release a caller is offered: the pure choice at the bounds of its rules (D71, D83 to D89, licensing 6.4, 6.7, 6.8).
import { describe, expect, it } from 'vitest';
import type { Release } from '#licensing/releases/releases/index.ts';
import { catalogueOf } from '#licensing/releases/updates/catalogue.ts';
import { choose, chooseAll, NOW, release } from './release-choices.ts';

describe('the version', () => {
  it.each([
    ['0.9.9', '1.0.0'],
    ['1.0.0-rc.1', '1.0.0'],
    ['1.0.0', null],
    ['1.0.0+build.7', null],
    ['1.0.1', null],
    ['2.0.0', null],
  ])('installed %s is offered %s: never a downgrade, never the same (D85)', (from, offer) => {
    expect(choose([release('0.1.0'), release('1.0.0')], { from }).offer).toBe(offer);
  });

  it('is the highest by precedence, not by text or age', () => {
    const releases = ['1.9.0', '1.10.0', '1.10.0-rc.9', '1.2.0'].map((version) => release(version));
    expect(choose(releases).offer).toBe('1.10.0');
    expect(choose(releases.toReversed()).offer).toBe('1.10.0');
  });

  it.each(['DRAFT', 'YANKED', 'ARCHIVED'] as const)('of a %s release is not offered', (state) => {
    expect(choose([release('1.5.0'), release('2.0.0', { state })]).offer).toBe('1.5.0');
  });

  it('of a scheduled release is offered from its time on', () => {
    const later = release('2.0.0', { publishedAt: NOW });
    expect(choose([later], {}, '2026-03-01T11:59:59.999Z').offer).toBeNull();
    expect(choose([later], {}, NOW).offer).toBe('2.0.0');
  });
});

describe('the channel (D86, D71)', () => {
  const all = (['stable', 'rc', 'beta', 'alpha', 'nightly'] as const).map((channel, at) =>
    release(`${at + 2}.0.0`, { channel }),
  );

  it.each([
    ['stable', '2.0.0'],
    ['rc', '3.0.0'],
    ['beta', '4.0.0'],
    ['alpha', '5.0.0'],
    ['nightly', '6.0.0'],
  ] as const)('%s takes up to %s', (channel, offer) => {
    expect(choose(all, { channel }).offer).toBe(offer);
    expect(choose(all, { channel, rights: { prereleases: false } }).offer).toBe('2.0.0');
  });

  it('takes the final release, too', () => {
    const releases = [release('2.0.0-beta.1', { channel: 'beta' }), release('2.0.0')];
    expect(choose(releases, { channel: 'beta', from: '2.0.0-beta.1' }).offer).toBe('2.0.0');
  });
});

describe('maxVersion (D83, D87)', () => {
  const releases = ['1.9.9', '2.0.0', '2.1.0', '3.0.0-rc.1'].map((version) => release(version));

  it.each([
    ['1', '1.9.9'],
    ['2', '2.1.0'],
    ['2.0', '2.0.0'],
    ['2.0.0', '2.0.0'],
    ['1.9.8', null],
    ['3', '3.0.0-rc.1'],
  ])('%s allows %s', (maxVersion, offer) => {
    expect(choose(releases, { rights: { maxVersion } }).offer).toBe(offer);
  });

  it('names the newest that only it keeps back, and only when there is no offer', () => {
    const rights = { maxVersion: '1.0' };
    expect(choose(releases, { rights }).notAllowed).toBe('3.0.0-rc.1');
    expect(choose(releases, { rights: { maxVersion: '2' } }).notAllowed).toBeNull();
    const barredTwice = [
      release('2.0.0', { channel: 'beta' }),
      release('2.1.0', { minFromVersion: '1.5.0' }),
    ];
    expect(choose(barredTwice, { rights }).notAllowed).toBeNull();
  });
});

describe('what a release asks for', () => {
  it('minFromVersion is the least installed version', () => {
    const releases = [release('1.5.0'), release('2.0.0', { minFromVersion: '1.5.0' })];
    expect(choose(releases, { from: '1.4.9' }).offer).toBe('1.5.0');
    expect(choose(releases, { from: '1.5.0-rc.1' }).offer).toBe('1.5.0');
    expect(choose(releases, { from: '1.5.0' }).offer).toBe('2.0.0');
    expect(choose(releases, { from: null }).offer).toBe('2.0.0');
  });

  it('every entitlement must be held and not be false', () => {
    const releases = [release('2.0.0', { requiredEntitlements: ['pro', '__proto__'] })];
    const features = JSON.parse('{"pro":0,"__proto__":true}');
    expect(choose(releases, { rights: { features } }).offer).toBe('2.0.0');
    expect(choose(releases, { rights: { features: { ...features, pro: false } } }).offer).toBeNull();
    expect(choose(releases, { rights: { features: { pro: true } } }).offer).toBeNull();
    expect(choose(releases).offer).toBeNull();
  });

  it('a key that the caller knows, where it says which (decision 0026)', () => {
    const [old, next] = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb'];
    const releases = [release('2.0.0', { keyId: old }), release('3.0.0', { keyId: next })];
    expect(choose(releases).offer).toBe('3.0.0');
    expect(choose(releases, { keyIds: [old] }).offer).toBe('2.0.0');
    expect(choose(releases, { keyIds: [old, next] }).offer).toBe('3.0.0');
    expect(choose(releases, { keyIds: ['cccccccccccccccc'] }).offer).toBeNull();
  });
});

describe('platform and processor (6.7)', () => {
  const build = (platform: string, arch: string, version = '2.0.0') => release(version, { platform, arch });

  it('fit exactly, or the release is for any', () => {
    const releases = [build('windows', 'x64'), build('darwin', 'universal'), build('linux', '')];
    const asked = (platform: string, arch: string) => choose(releases, { platform, arch }).id;
    expect(asked('windows', 'x64')).toBe(releases[0]?.id);
    expect(asked('windows', 'arm64')).toBeNull();
    expect(asked('darwin', 'arm64')).toBe(releases[1]?.id);
    expect(asked('linux', 'armv7')).toBe(releases[2]?.id);
    expect(asked('android', 'arm64')).toBeNull();
  });

  it('the more specific build wins at equal version, the higher version before it', () => {
    const releases = [
      build('', ''),
      build('', 'arm64'),
      build('darwin', ''),
      build('darwin', 'universal'),
      build('darwin', 'arm64'),
    ];
    for (let least = 0; least < releases.length; least++) {
      const some = releases.slice(0, least + 1);
      const asked = { platform: 'darwin', arch: 'arm64' };
      expect([least, choose(some, asked).id]).toEqual([least, some.at(-1)?.id]);
      expect(choose(some.toReversed(), asked).id).toBe(some.at(-1)?.id);
      expect(choose([...some, build('', '', '2.0.1')], asked).offer).toBe('2.0.1');
    }
  });

  it('a caller that names none gets what is for any, or the only one that the product has', () => {
    const anywhere = build('', '', '1.5.0');
    expect(choose([anywhere, build('windows', 'x64')]).offer).toBe('2.0.0');
    const two = [anywhere, build('windows', 'x64'), build('darwin', 'x64', '3.0.0')];
    expect(choose(two).offer).toBe('1.5.0');
    expect(choose(two, { platform: 'windows' }).offer).toBe('2.0.0');
    expect(choose([...two, build('windows', 'arm64', '4.0.0')], { platform: 'windows' }).offer).toBe('1.5.0');
    const yanked = { ...build('darwin', 'x64', '3.0.0'), state: 'YANKED' as const };
    expect(choose([anywhere, build('windows', 'x64'), yanked]).offer).toBe('2.0.0');
  });
});

describe('the rollout (6.4)', () => {
  const at = (bps: number, extra: Partial<Release> = {}) =>
    release('2.0.0', { rollout: { bps, paused: false, schedule: [] }, ...extra });

  it('reaches nobody at 0 and everybody at 100 %; who is not reached gets the next lower release', () => {
    const lower = release('1.5.0');
    expect(choose([lower, at(0)])).toMatchObject({ offer: '1.5.0', whenRolledOut: '2.0.0' });
    expect(choose([lower, at(10_000)])).toMatchObject({ offer: '2.0.0', whenRolledOut: '2.0.0' });
  });

  it('goes by the subject, and raising it removes nobody', () => {
    const staged = at(1);
    const subjects = Array.from({ length: 400 }, (_, n) => `machine-${n}`);
    let before = new Set<string>();
    for (const bps of [1, 1000, 5000, 9999, 10_000]) {
      const now = { ...staged, rollout: { ...staged.rollout, bps } };
      const reached = new Set(subjects.filter((subject) => choose([now], { subject }).offer !== null));
      expect([...before].every((subject) => reached.has(subject))).toBe(true);
      expect(Math.abs(reached.size / 400 - bps / 10_000)).toBeLessThan(0.1);
      before = reached;
    }
  });

  it('follows its schedule by the clock', () => {
    const schedule = [{ at: NOW, percent: 100 }];
    const staged = at(0, { rollout: { bps: 0, paused: false, schedule } });
    expect(choose([staged], {}, '2026-03-01T11:59:59.999Z').offer).toBeNull();
    expect(choose([staged]).offer).toBe('2.0.0');
    expect(choose([at(0, { rollout: { bps: 0, paused: true, schedule } })]).offer).toBeNull();
  });

  it('does not hold a critical release back', () => {
    expect(choose([at(0, { isCritical: true })]).offer).toBe('2.0.0');
  });
});

describe('the builds of a version for a caller who does not tell its processor (6.12)', () => {
  const build = (version: string, arch: string, bps = 10_000, extra: Partial<Release> = {}) =>
    release(version, { platform: 'darwin', arch, rollout: { bps, paused: false, schedule: [] }, ...extra });
  const older = [build('1.5.0', 'x64'), build('1.5.0', 'arm64')];
  const versions = (releases: readonly Release[], subject?: string) =>
    chooseAll(releases, ['x64', 'arm64'], subject).offered;
  const [oldX64, oldArm64] = ['1.5.0 x64', '1.5.0 arm64'];

  it("are offered together, as far as the one that reaches the least: else one would get the other's", () => {
    const half = [build('2.0.0', 'x64', 5000), build('2.0.0', 'arm64', 5000)];
    const subjects = Array.from({ length: 400 }, (_, n) => `machine-${n}`);
    const reached = subjects.filter((subject) => {
      const offered = versions([...older, ...half], subject);
      const isReached = offered.includes('2.0.0 x64');
      expect(offered).toEqual(isReached ? ['2.0.0 x64', '2.0.0 arm64'] : [oldX64, oldArm64]);
      return isReached;
    });
    expect(Math.abs(reached.length / 400 - 0.5)).toBeLessThan(0.1);
    expect(versions([...older, build('2.0.0', 'x64'), build('2.0.0', 'arm64', 0)])).toEqual([
      oldX64,
      oldArm64,
    ]);
    const critical = build('2.0.0', 'arm64', 0, { isCritical: true });
    expect(versions([...older, build('2.0.0', 'x64'), critical])).toEqual(['2.0.0 x64', '2.0.0 arm64']);
  });

  it('are those that the caller may have, each once, of one version', () => {
    expect(versions([...older, build('2.0.0', 'universal')])).toEqual(['2.0.0 universal']);
    expect(versions([...older, build('2.0.0', 'arm64')])).toEqual(['2.0.0 arm64']);
    const barred = build('2.0.0', 'arm64', 0, { requiredEntitlements: ['pro'] });
    expect(versions([...older, build('2.0.0', 'x64'), barred])).toEqual(['2.0.0 x64']);
    const held = chooseAll([...older, build('2.0.0', 'x64', 0)], ['x64', 'arm64']);
    expect(held).toEqual({ offered: [oldX64, oldArm64], whenRolledOut: ['2.0.0 x64'] });
    expect(versions([])).toEqual([]);
  });
});

describe('flags over what lies between (D89)', () => {
  const asked = { platform: 'linux', arch: 'x64', from: '1.0.0' };
  const both = { isCritical: true, requiresMigration: true };

  it.each([
    ['the installed version', release('1.0.0', both), false],
    ['a version between', release('1.5.0', both), true],
    ['the offered version', release('2.0.0', both), true],
    ['a version beyond', release('2.5.0', { ...both, minFromVersion: '2.0.0' }), false],
    ['another platform', release('1.5.0', { ...both, platform: 'darwin' }), false],
    ['another channel', release('1.5.0', { ...both, channel: 'beta' }), false],
    [
      'a release without its entitlement',
      release('1.5.0', { ...both, requiredEntitlements: ['pro'] }),
      false,
    ],
    ['a yanked release', release('1.5.0', { ...both, state: 'YANKED' }), false],
  ])('%s', (_name, other, expected) => {
    const offered = other.version === '2.0.0' ? other : release('2.0.0');
    const { offer, isCritical, requiresMigration } = choose([other, offered], asked);
    expect([offer, isCritical, requiresMigration]).toEqual(['2.0.0', expected, expected]);
  });

  it('are false without an offer', () => {
    const barred = release('2.0.0', { ...both, minFromVersion: '1.5.0' });
    expect(choose([barred], asked)).toMatchObject({
      offer: null,
      isCritical: false,
      requiresMigration: false,
    });
  });
});

describe('an expired license of a product that gives critical updates (6.8)', () => {
  it('sees critical releases only, within all other bounds', () => {
    const releases = [
      release('1.5.0', { isCritical: true }),
      release('1.6.0', { requiresMigration: true }),
      release('2.0.0', { isCritical: true }),
    ];
    const rights = { onlyCritical: true };
    expect(choose(releases, { rights })).toMatchObject({
      offer: '2.0.0',
      isCritical: true,
      requiresMigration: false,
    });
    expect(choose(releases, { rights: { ...rights, maxVersion: '1' } }).offer).toBe('1.5.0');
    expect(choose([release('3.0.0')], { rights: { ...rights, maxVersion: '1' } }).notAllowed).toBeNull();
  });
});

it('ten thousand releases are chosen from in a moment, and a stored version of another form is left out', () => {
  const many = Array.from({ length: 10_000 }, (_, n) => release(`1.${n}.0`));
  const { candidates } = catalogueOf([...many, release('not a version')]);
  expect(candidates).toHaveLength(10_000);
  expect(choose(many).offer).toBe('1.9999.0');
});
