import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { sizeText } from '#kernel/size-words.ts';
import {
  checkCommands,
  type DownloadGrant,
  endOf,
  leftOf,
  linkTo,
  liveGrantsOf,
  ordersGrant,
} from '#storefront/buying/downloads/index.ts';
import type { Order } from '#storefront/orders/orders/index.ts';
import type { ShopWords } from '../shop/index.ts';
import { timeIn } from './order-model.ts';

/** What a button beside a file sends. */
export const FileForm = z.object({ id: z.string().max(40).default('') });

/** The files of an order; one that is not paid has none, and costs no question. */
export const downloadsShown = async (ctx: Ctx, { id, paidAt }: Order, words: ShopWords) =>
  paidAt === null ? [] : (await liveGrantsOf(ctx, id)).map((grant) => downloadShown(ctx, grant, words));

/** A file with a button that fetches it, or why it cannot be fetched any more. */
export function downloadShown(ctx: Ctx, grant: DownloadGrant, words: ShopWords) {
  const { t } = words;
  const left = leftOf(grant);
  const end = endOf(ctx, grant);
  return {
    id: grant.id,
    name: grant.fileName,
    size: grant.kind === 'upload' ? sizeText(grant.bytes) : null,
    left: left === null ? t('download.unlimited') : t('download.left', { number: left }),
    until: grant.expiresAt === null ? null : timeIn(ctx, words, 'minute')(grant.expiresAt),
    ended: end === 'used' || end === 'expired' ? t(`download.${end}`) : null,
    sha256: grant.sha256,
    commands: grant.sha256 === null ? null : checkCommands(grant.fileName, grant.sha256),
  };
}

/** What a refused link says above the page; what is nobody's input goes on as it is. */
export function linkRefused({ t }: ShopWords, error: unknown): string {
  if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') throw error;
  if (error.details.reason === 'TOKEN_USED') return t('download.used');
  return error.details.reason === 'TOKEN_EXPIRED' ? t('download.expired') : t('download.unavailable');
}

/** Where a file of an order is fetched. @throws AppError NOT_FOUND, and as `linkTo` */
export const pathToFile = async (ctx: Ctx, { id }: Order, grantId: string): Promise<string> =>
  (await linkTo(ctx, await ordersGrant(ctx, id, grantId))).path;
