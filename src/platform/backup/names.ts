/** What the name of an archive says. */
export interface NameParts {
  /** ISO, to the second. */
  readonly createdAt: string;
  readonly label: string | null;
  readonly encrypted: boolean;
}

const NAME =
  /^appctl-backup-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(?:-([a-z0-9][a-z0-9-]{0,39}))?\.tar\.zst(\.age)?$/;

/** Labels that the program itself gives. */
export const OWN_LABELS = ['pre-migrate', 'pre-restore', 'pre-upgrade'] as const;

const own: ReadonlySet<string | null> = new Set(OWN_LABELS);
export const isOwnLabel = (label: string | null): boolean => own.has(label);

export const LABEL = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** `appctl-backup-20260105T031500Z-label.tar.zst`, with `.age` at the end of an encrypted one. */
export function archiveName({ createdAt, label, encrypted }: NameParts): string {
  return `appctl-backup-${stampOf(createdAt)}${label === null ? '' : `-${label}`}.tar.zst${encrypted ? '.age' : ''}`;
}

/** `20260105T031500Z`: a moment in the name of a file. */
export const stampOf = (iso: string): string => iso.replaceAll(/[-:]/g, '').replace(/\.\d+/, '');

/** @returns null for a name that is none of an archive */
export function partsOfName(name: string): NameParts | null {
  const found = NAME.exec(name);
  if (!found) return null;
  const [, year, month, day, hour, minute, second, label, age] = found;
  return {
    createdAt: `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`,
    label: label ?? null,
    encrypted: age !== undefined,
  };
}

/** Of the file that says what is in an archive. */
export const sidecarName = (archive: string): string => `${archive}.json`;

/** Members of an archive that are there once. */
export const MEMBERS = {
  header: 'appctl-backup.json',
  database: 'database.sqlite',
  config: 'config/appctl.toml',
  masterKey: 'master.key.age',
  manifest: 'manifest.json',
} as const;

/** Parts that `restore --only` chooses from. */
export const PARTS = ['db', 'media', 'bundles', 'config'] as const;
export type Part = (typeof PARTS)[number];

const LOCATION = /^(bundles|media)\/((?:([0-9a-f]{2})\/\3[0-9a-f]{62})|(?:[0-9a-f]{64}\/[a-z]{1,20}))$/;
const SPOOLED = /^spool\/([a-z][a-z-]{0,30})\/([0-9A-HJKMNP-TV-Z]{26}\.json(?:\.bad)?)$/;

/** What a member of an archive is; no other name is taken from one. */
export type Member =
  | { readonly kind: 'header' | 'database' | 'config' | 'masterKey' | 'manifest' }
  | { readonly kind: 'object'; readonly storage: 'bundles' | 'media'; readonly location: string }
  | { readonly kind: 'spool'; readonly folder: string; readonly file: string };

/** @returns null for a name that no backup has: no path is ever made of it */
export function memberOf(name: string): Member | null {
  for (const [kind, own] of Object.entries(MEMBERS))
    if (own === name) return { kind: kind as keyof typeof MEMBERS };
  const object = LOCATION.exec(name);
  if (object)
    return { kind: 'object', storage: object[1] as 'bundles' | 'media', location: object[2] as string };
  const spooled = SPOOLED.exec(name);
  return spooled ? { kind: 'spool', folder: spooled[1] as string, file: spooled[2] as string } : null;
}
