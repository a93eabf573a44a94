/** Columns of files of customers. */
/** Those that an import writes. */
export const IMPORT_COLUMNS = [
  'email',
  'first_name',
  'last_name',
  'phone',
  'locale',
  'accepts_marketing',
  'tags',
  'groups',
  'tax_exempt',
  'tax_id',
  'note',
] as const;
export type ImportColumn = (typeof IMPORT_COLUMNS)[number];

/** Columns of an export that say what nobody can write. */
const READ_ONLY: ReadonlySet<string> = new Set([
  'id',
  'has_account',
  'email_verified',
  'two_factor_enabled',
  'status',
  'order_count',
  'spent_cents',
  'currency',
  'notes_count',
  'merged_into_id',
  'last_login_at',
  'created_at',
  'updated_at',
]);

/** `First name` is `first_name`. */
export const columnOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

/** A column that is neither one to write nor one of an export; null when all are known. */
export const unknownColumn = (columns: readonly string[]): string | null =>
  columns.find((one) => !(IMPORT_COLUMNS as readonly string[]).includes(one) && !READ_ONLY.has(one)) ?? null;
