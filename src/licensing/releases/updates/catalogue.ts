import parse from 'semver/functions/parse.js';
import type { Ctx } from '#kernel/context.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { type Release, servableReleases } from '../releases/index.ts';

/** A version of semver 2.0, parsed. */
export type Version = NonNullable<ReturnType<typeof parse>>;

/** A release with its versions parsed once, since every check compares them. */
export interface Candidate {
  readonly release: Release;
  readonly version: Version;
  readonly minFrom: Version | null;
}

/** The releases of a product that may be served. */
export interface Catalogue {
  /** The highest version first. */
  readonly candidates: readonly Candidate[];
  readonly byId: ReadonlyMap<string, Release>;
}

/** @returns null for a text that is no semantic version; a leading v is allowed (D88) */
export const parseVersion = (text: string): Version | null => (text === text.trim() ? parse(text) : null);

/** Parses the versions of releases; a release without a version that can be compared is never offered. */
export function catalogueOf(releases: readonly Release[]): Catalogue {
  const candidates = releases.flatMap((release): Candidate[] => {
    const version = parseVersion(release.version);
    const minFrom = release.minFromVersion === null ? null : parseVersion(release.minFromVersion);
    return version === null ? [] : [{ release, version, minFrom }];
  });
  candidates.sort((a, b) => b.version.compare(a.version));
  return { candidates, byId: new Map(releases.map((release) => [release.id, release])) };
}

interface Remembered {
  readonly releasesVersion: number;
  readonly catalogue: Promise<Catalogue>;
  /** About how many characters its releases have; 0 until they are read. */
  size: number;
}

/**
 * What is remembered of all products; beyond it the one that was read longest ago is forgotten. Long changelogs count
 * more than many releases.
 */
const MOST_PRODUCTS = 500;
export const MOST_CHARACTERS = 32 * 1024 * 1024;
/** Of a release beside its long texts: digests, signatures, the parsed version. */
const PLAIN_CHARACTERS = 2000;

const remembered = memoryKey('update-catalogues', () => new Map<string, Remembered>());

/**
 * The releases of a product as of a version of them, or of a later one; read when this process does not remember them
 * (licensing 8.4, decision 0025). The version only rises, so what was read under a number is never older than it.
 *
 * @param releasesVersion as the standing of a license told it
 * @throws what the database throws
 */
export function rememberedReleases(ctx: Ctx, productId: string, releasesVersion: number): Promise<Catalogue> {
  const known = ctx.memory.of(remembered);
  const kept = known.get(productId);
  if (kept && kept.releasesVersion >= releasesVersion) return kept.catalogue;
  const catalogue = servableReleases(ctx, productId).then(catalogueOf);
  const entry = { releasesVersion, catalogue, size: 0 };
  known.delete(productId);
  known.set(productId, entry);
  catalogue.then(
    ({ byId }) => {
      entry.size = sizeOf(byId.values());
      forgetOldest(known);
    },
    () => {
      // What could not be read is asked for again.
      if (known.get(productId) === entry) known.delete(productId);
    },
  );
  return catalogue;
}

function sizeOf(releases: Iterable<Release>): number {
  let size = 0;
  for (const { changelog, statement, extraSignatures } of releases) {
    const { tauri = '' } = extraSignatures;
    size += PLAIN_CHARACTERS + changelog.length + (statement?.length ?? 0) + tauri.length;
  }
  return size;
}

/** The newest one stays, whatever its size. */
function forgetOldest(known: Map<string, Remembered>): void {
  let size = 0;
  for (const entry of known.values()) size += entry.size;
  for (const [productId, entry] of known) {
    if (known.size === 1 || (known.size <= MOST_PRODUCTS && size <= MOST_CHARACTERS)) return;
    known.delete(productId);
    size -= entry.size;
  }
}
