// How files beside the database lie in a place: `stream/sets` says which sets of them there are, and
// `stream/files/SET/ab` has the files whose location begins so, in parts. Their names say all that is known of them.

import type { StorageName, StoredName } from '#kernel/storage/kept-notes.ts';
import { isLocation, isPartLocation } from '#kernel/storage/location.ts';

export const SETS = 'stream/sets/';

/** Bytes of a file in one part: what is sent again after a crash, and what is on the disk of this machine meanwhile. */
export const PART_BYTES = 32 * 1024 ** 2;

const FILE = /^(bundles|media)-([0-9a-f]{64})(?:-([a-z]{1,20}))?-([0-9a-f]{64})-(\d{1,15})-([1-9]\d{0,8})$/;

/** A file with the bytes that it has. */
export interface FileName extends StoredName {
  /** Lower-case hex, of its bytes. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

/** Parts that a file of so many bytes has. */
export const partsOf = (size: number): number => Math.max(1, Math.ceil(size / PART_BYTES));

/** First byte of a part, and the one after its last. */
export const spanOf = ({ size }: Pick<FileName, 'size'>, part: number): readonly [number, number] => [
  (part - 1) * PART_BYTES,
  Math.min(part * PART_BYTES, size),
];

/** `ab`: files are listed by it. */
export const shardOf = (location: string): string => location.slice(0, 2);

export const SHARDS: readonly string[] = Array.from({ length: 256 }, (_, n) =>
  n.toString(16).padStart(2, '0'),
);

export const setName = (set: string): string => `${SETS}${set}.json`;
export const shardFolder = (set: string, shard: string): string => `stream/files/${set}/${shard}/`;
export const filePartName = (set: string, file: FileName, part: number): string =>
  `${shardFolder(set, shardOf(file.location))}${partPrefix(file)}${part}`;

/** How the names of the parts of a file begin, whichever bytes it has. */
export const namePrefix = ({ storage, location }: StoredName): string => `${storage}-${placeText(location)}-`;

/** How the names of the parts of a file begin. */
export const partPrefix = (file: FileName): string => `${namePrefix(file)}${file.sha256}-${file.size}-`;

/** A location without the folder that its digest repeats. */
const placeText = (location: string): string =>
  isLocation(location) ? location.slice(3) : location.replace('/', '-');

/** @returns null for a name that is none of a part: no path is ever made of it */
export function filePartOf(name: string): { readonly file: FileName; readonly part: number } | null {
  const [, storage, digest, made, sha256, size, part] = FILE.exec(name) ?? [];
  if (storage === undefined || digest === undefined || sha256 === undefined) return null;
  const location = made === undefined ? `${shardOf(digest)}/${digest}` : `${digest}/${made}`;
  if (!isLocation(location) && !isPartLocation(location)) return null;
  const file = { storage: storage as StorageName, location, sha256, size: Number(size) };
  return isNamedBy(file) && Number(part) <= partsOf(file.size) ? { file, part: Number(part) } : null;
}

/** Whether bytes are those that a location names, where it does: of pictures that are made it does not. */
export function isNamedBy({ location, sha256 }: Pick<FileName, 'location' | 'sha256'>): boolean {
  if (isLocation(location)) return location.slice(3) === sha256;
  const [digest, made] = location.split('/');
  return made !== 'original' || digest === sha256;
}
