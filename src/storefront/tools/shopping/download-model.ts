import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { later } from '#kernel/sharing.ts';
import { sizeText } from '#kernel/size-words.ts';
import {
  checkCommands,
  endOf,
  type HeldGrant,
  leftOf,
  linkTo,
  linkToRelease,
  newestReleases,
  ordersGrant,
} from '#storefront/buying/downloads/index.ts';
import type { DeliveredLicense } from '#storefront/contract/extensions.ts';
import type { Order } from '#storefront/orders/orders/index.ts';
import type { ShopWords } from '../shop/index.ts';
import { timeIn } from './order-model.ts';

const id = () => z.string().max(40).default('');
/** What a button beside a file sends: its id, or the license and the release that it opens. */
export const FileForm = later(() => z.object({ id: id(), license: id(), release: id() }));
type FileAsked = z.output<typeof FileForm>;

/** The newest releases that the licenses of an order open. */
export async function releasesShown(ctx: Ctx, licenses: readonly DeliveredLicense[], { t }: ShopWords) {
  if (licenses.length === 0) return [];
  return (await newestReleases(ctx, licenses)).map((one) => ({
    id: null,
    license: one.licenseId,
    release: one.releaseId,
    name: one.fileName,
    size: sizeText(one.bytes),
    left: [one.product, t('download.version', { version: one.version }), one.platform]
      .filter((part) => part !== null)
      .join(' · '),
    until: null,
    ended: null,
    ...checked(one.fileName, one.sha256),
  }));
}

const checked = (name: string, sha256: string | null) => ({
  sha256,
  commands: sha256 === null ? null : checkCommands(name, sha256),
});

/** A file with a button that fetches it, or why it cannot be fetched any more. */
export function downloadShown(ctx: Ctx, grant: HeldGrant, words: ShopWords) {
  const { t } = words;
  const left = leftOf(grant);
  const end = endOf(ctx, grant);
  return {
    id: grant.id,
    name: grant.fileName,
    size: grant.kind === 'upload' ? sizeText(grant.bytes) : null,
    left: left === null ? t('download.unlimited') : t('download.left', { number: left }),
    until: grant.expiresAt === null ? null : timeIn(ctx, words, 'minute')(grant.expiresAt),
    ended: end === null || end === 'revoked' ? null : t(`download.${end}`),
    ...checked(grant.fileName, grant.sha256),
  };
}

/** What a refused link says above the page; what is nobody's input goes on as it is. */
export function linkRefused({ t }: ShopWords, error: unknown): string {
  if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') throw error;
  if (error.details.reason === 'TOKEN_USED') return t('download.used');
  return error.details.reason === 'TOKEN_EXPIRED' ? t('download.expired') : t('download.unavailable');
}

/** Where a file of an order is fetched. @throws AppError NOT_FOUND, and as `linkTo` */
export const pathToFile = async (ctx: Ctx, order: Order, asked: FileAsked): Promise<string> => {
  const { id, license: licenseId, release: releaseId } = asked;
  const link =
    licenseId === ''
      ? await linkTo(ctx, await ordersGrant(ctx, order.id, id))
      : await linkToRelease(ctx, order, { licenseId, releaseId });
  return link.path;
};
