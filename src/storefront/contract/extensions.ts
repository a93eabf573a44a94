// Places that the shop leaves open for parts above it: it neither knows who fills them nor needs anybody to.
import type { Ctx } from '#kernel/context.ts';
import { extension } from '#kernel/extension.ts';
import type { StoredObject } from '#kernel/storage/types.ts';

/** What is kept with a line of an order for whoever delivers it; the shop does not read it. */
export type Snapshot = Readonly<Record<string, unknown>>;

/**
 * Asked when an order is made: what it says of a variant stays true when the catalogue changes.
 *
 * @returns by the id of the variant; most have none
 */
export type SnapshotOf = (ctx: Ctx, variantIds: readonly string[]) => Promise<ReadonlyMap<string, Snapshot>>;
export const itemSnapshot = extension<SnapshotOf>('store item snapshot');

/**
 * Asked before an order is made, where lines of it keep something for whoever delivers them.
 *
 * @param kept of these lines
 * @throws AppError VALIDATION_ERROR for what could not be delivered once it is paid
 */
export type LineCheck = (ctx: Ctx, kept: readonly Snapshot[]) => Promise<void>;
export const lineCheck = extension<LineCheck>('store line check');

/** The license that a variant is sold with, as pages and JSON show it. */
export interface VariantLicense {
  readonly type: string;
  readonly tier: string;
  /** null: without an end. */
  readonly durationDays: number | null;
  /** Machines or seats of one unit. */
  readonly maxActivations: number;
  /** Units are seats of one license. */
  readonly isBySeats: boolean;
  /** Newest version that it runs; null: every one. */
  readonly maxVersion: string | null;
  /** The newest release that a buyer gets at once. */
  readonly release: {
    readonly version: string;
    readonly publishedAt: string | null;
    readonly sizeBytes: number;
    readonly changelog: string | null;
  } | null;
}
/** Asked for a product's page and JSON. @returns by the id of the variant */
export type VariantLicenses = (
  ctx: Ctx,
  variantIds: readonly string[],
) => Promise<ReadonlyMap<string, VariantLicense>>;
export const variantLicenses = extension<VariantLicenses>('store variant licenses');

/** Most units of a variant in one cart. @returns by the id of the variant; the others have no limit of this kind */
export type CartLimits = (ctx: Ctx, variantIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
export const cartLimits = extension<CartLimits>('store cart limits');

/** An order that something is delivered with. */
export interface DeliveredOrder {
  readonly id: string;
  readonly orderNumber: string | null;
  readonly customerId: string | null;
  readonly email: string;
  readonly locale: string;
}

/** A license of an order, as everybody may see it who may see the order (fulfilment section 8). */
export interface DeliveredLicense {
  readonly id: string;
  readonly product: string;
  /** Its beginning. */
  readonly keyMasked: string;
  /** The whole key, for who paid just now; null for everybody else. */
  readonly key: string | null;
  readonly status: string;
  readonly type: string;
  readonly tier: string;
  readonly validUntil: string | null;
  readonly activationsUsed: number;
  readonly maxActivations: number;
  readonly orderItemId: string | null;
}

/** What an order is still missing because it could not be made: a job does it later. */
export interface DeliveryProblem {
  readonly orderItemId: string | null;
  readonly missing: number;
}

/**
 * Asked for the pages and the JSON of an order.
 *
 * @param how `withKeys`: for the session that paid, not long ago
 */
export type LicensesOf = (
  ctx: Ctx,
  order: DeliveredOrder,
  how: { readonly withKeys: boolean },
) => Promise<{
  readonly licenses: readonly DeliveredLicense[];
  readonly problems: readonly DeliveryProblem[];
}>;
export const orderLicenses = extension<LicensesOf>('store order licenses');

/** A file that whoever bought an order may fetch. */
export interface DeliveredFile {
  readonly id: string;
  readonly orderItemId: string;
  readonly fileName: string;
  /** null: of a release, which is another one tomorrow. */
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly downloadsUsed: number;
  /** null: as often as wanted. */
  readonly maxDownloads: number | null;
  readonly expiresAt: string | null;
}
/** Asked for the JSON of a paid order. */
export type FilesOf = (ctx: Ctx, orderId: string) => Promise<readonly DeliveredFile[]>;
export const orderFiles = extension<FilesOf>('store order files');

/** For which mail blocks are asked. */
export interface BlocksAsked {
  /** Where the mail leads for the order. */
  readonly orderUrl: string;
  /** The address that the mail goes to: staff may have changed the one of the order. */
  readonly to: string;
}

/**
 * Blocks of HTML in mails about an order, by the names of their places in templates: `licenses_html`. Asked when the mail
 * is sent, so that nothing of it is stored.
 */
export type MailBlocks = (
  ctx: Ctx,
  order: DeliveredOrder,
  how: BlocksAsked,
) => Promise<Readonly<Record<string, string>>>;
export const mailBlocks = extension<MailBlocks>('store mail blocks');

/** A file that is opened for a buyer; whoever takes it closes it. */
export interface OpenFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Base64; of a signed release. */
  readonly signature: string | null;
  readonly version: string | null;
  readonly object: Pick<StoredObject, 'read' | 'close'>;
  /** Told when a download of it has begun with its first byte. */
  begun?(): void;
}

/** Newest releases as files of a variant (fulfilment section 9). */
export interface ReleaseFiles {
  /** Those that a file may name. */
  readonly channels: readonly string[];
  /**
   * Opens the newest release of a channel through the license of an order's line.
   *
   * @returns null while no license of the line works; `unreleased` where nothing was published for it yet
   */
  open(
    ctx: Ctx,
    asked: { readonly orderItemId: string; readonly channel: string },
  ): Promise<OpenFile | 'unreleased' | null>;
}
export const releaseFile = extension<ReleaseFiles>('store release file');

/** A file of a release that a license opens. */
export interface LicenseFile {
  readonly licenseId: string;
  readonly releaseId: string;
  readonly product: string;
  readonly version: string;
  readonly fileName: string;
  /** Where it runs; null: everywhere. */
  readonly platform: string | null;
  readonly bytes: number;
  readonly sha256: string;
}

/** What a one-time link of a license is for: a release of it. */
export interface LicenseFiles {
  /** The newest stable releases that the licenses of an order open, with their files for all platforms. */
  newestOf(ctx: Ctx, licenses: readonly DeliveredLicense[]): Promise<readonly LicenseFile[]>;
  /** @returns what the link is told, or null when the order has no such license, or the license no such release */
  linkOf(
    ctx: Ctx,
    order: DeliveredOrder,
    asked: { readonly licenseId: string; readonly releaseId: string },
  ): Promise<{ readonly subjectId: string; readonly data: Readonly<Record<string, string>> } | null>;
  /** Opens what such a link is for, when its license still allows that; null for a link of something else. */
  open(
    ctx: Ctx,
    link: { readonly subjectId: string; readonly data: Readonly<Record<string, string>> },
  ): Promise<OpenFile | null>;
}
export const licenseFiles = extension<LicenseFiles>('store license files');

/** What the account of a customer shows of licenses. */
export interface AccountLicenses {
  /** Where they are. */
  readonly path: string;
  /** Those that work and end soon, the first to end first. */
  endingSoon(
    ctx: Ctx,
    customerId: string,
  ): Promise<
    readonly {
      readonly path: string;
      readonly product: string;
      readonly keyMasked: string;
      readonly validUntil: string;
    }[]
  >;
}
export const accountLicenses = extension<AccountLicenses>('store account licenses');

/**
 * Asked by searches of staff: orders that a text names by what was delivered with them, such as a license key or the
 * beginning of one.
 *
 * @returns their ids
 */
export type OrdersNamed = (ctx: Ctx, text: string) => Promise<readonly string[]>;
export const ordersNamed = extension<OrdersNamed>('store orders by what they delivered');

/** Ids of the orders that a text names by what was delivered with them; none where nothing is delivered. */
export async function ordersNamedBy(ctx: Ctx, text: string): Promise<readonly string[]> {
  const places = await ctx.filled(ordersNamed);
  return (await Promise.all(places.map((find) => find(ctx, text)))).flat();
}
