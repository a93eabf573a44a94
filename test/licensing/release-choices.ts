// Releases that nobody stored, and what is chosen of them: what the tests of the pure choice work with.
import type { Release } from '#licensing/releases/releases/index.ts';
import { catalogueOf, parseVersion } from '#licensing/releases/updates/catalogue.ts';
import {
  type Builds,
  chooseBuilds,
  chooseRelease,
  type Question,
  type Rights,
} from '#licensing/releases/updates/choose.ts';

export const NOW = '2026-03-01T12:00:00.000Z';
let made = 0;

/** A published release on stable, for anybody, unless it says otherwise. */
export function release(version: string, extra: Partial<Release> = {}): Release {
  made += 1;
  return {
    id: `rel_${made}`,
    tenantId: 'ten_1',
    productId: 'prd_1',
    productSlug: 'editor',
    version,
    channel: 'stable',
    platform: '',
    arch: '',
    state: 'PUBLISHED',
    changelog: '',
    bundleFilename: 'editor.zip',
    bundleSize: 1,
    bundleSha256: 'ab',
    bundleSha512: 'cd',
    signature: 'ef',
    keyId: 'aaaaaaaaaaaaaaaa',
    extraSignatures: {},
    statement: null,
    statementSignature: null,
    sequence: null,
    formerSequences: {},
    statementExpiresAt: null,
    isCritical: false,
    requiresMigration: false,
    minFromVersion: null,
    requiredEntitlements: [],
    rollout: { bps: 10_000, paused: false, schedule: [] },
    publishedAt: '2026-01-01T00:00:00.000Z',
    archivedAt: null,
    yankedAt: null,
    yankedReason: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    ...extra,
  };
}

type Asked = Partial<Omit<Question, 'installed' | 'rights'>> & {
  from?: string | null;
  rights?: Partial<Rights>;
};

function questionOf({ from, rights, ...asked }: Asked): Question {
  return {
    installed: from == null ? null : parseVersion(from),
    channel: 'stable',
    platform: undefined,
    arch: undefined,
    subject: 'machine-0001',
    keyIds: null,
    rights: { maxVersion: null, features: null, prereleases: true, onlyCritical: false, ...rights },
    ...asked,
  };
}

/** Versions and processors of the builds for darwin that a caller is offered who does not tell its own. */
export function chooseAll(releases: readonly Release[], archs: readonly string[], subject = 'machine-0001') {
  const { candidates } = catalogueOf(releases);
  const builds = chooseBuilds(candidates, questionOf({ platform: 'darwin', subject }), archs, NOW);
  const named = (some: Builds['offered']) =>
    some.map(({ release: { version, arch } }) => `${version} ${arch}`);
  return { offered: named(builds.offered), whenRolledOut: named(builds.whenRolledOut) };
}

/** What a caller is offered that has 1.0.0 and may have everything of stable, unless it says otherwise. */
export function choose(releases: readonly Release[], asked: Asked = {}, now = NOW) {
  const { candidates } = catalogueOf(releases);
  const question = questionOf({ from: '1.0.0', ...asked });
  const choice = chooseRelease(candidates, question, now);
  return {
    offer: choice.offer?.release.version ?? null,
    id: choice.offer?.release.id ?? null,
    isCritical: choice.isCritical,
    requiresMigration: choice.requiresMigration,
    notAllowed: choice.notAllowed?.release.version ?? null,
    whenRolledOut: choice.whenRolledOut?.release.version ?? null,
  };
}
