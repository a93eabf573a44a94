import { AppError } from '#kernel/errors.ts';
import { type FormRefusal, refuseForm } from '#kernel/http/page.ts';
import type { ShopWords } from '../shop/index.ts';

interface Issue {
  readonly path: string;
  readonly rule: string;
}

/** A refusal of a form, with a sentence above it. */
export const refuseWith = (
  message: string,
  fields: Readonly<Record<string, string>> = {},
  status = 400,
): FormRefusal => refuseForm(message, fields, status);

/** Reasons with a sentence of their own. */
const REASONS: ReadonlySet<unknown> = new Set([
  'ACCOUNT_DISABLED',
  'EMAIL_NOT_VERIFIED',
  'TOKEN_INVALID',
  'TOKEN_EXPIRED',
]);

/** Does something, and says what is refused in the language of the page. */
export async function inWords<T>({ t }: ShopWords, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    const { reason, issues = [] } = error.details as { reason?: string; issues?: Issue[] };
    if (REASONS.has(reason)) throw refuseWith(t(`account.refused_${reason}`), {}, error.status);
    if (error.code === 'RATE_LIMITED') throw refuseWith(t('account.busy'), {}, error.status);
    const fields = Object.fromEntries(issues.map(({ path, rule }) => [path, t(`account.fault_${rule}`)]));
    throw refuseWith(Object.values(fields)[0] ?? t('refused.other'), fields, error.status);
  }
}
