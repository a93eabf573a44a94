import type { Visitor } from '#kernel/http/visitor.ts';
import { chooseLanguage, FALLBACK, loadLanguages } from '#platform/languages/index.ts';
import { storeFail } from '#platform/store-answers/index.ts';

export const AUTH = '/api/shop/auth';

/** Of endpoints that a browser calls before anybody is signed in. */
export const open = {
  scope: null,
  session: 'token',
  errors: ['AUTH_UNAUTHORIZED', 'AUTH_FORBIDDEN', 'VALIDATION_ERROR'],
} as const;

/** Language of the mails that are written to whoever asks. */
export async function languageOf(visitor: Visitor | null): Promise<string> {
  await loadLanguages();
  return chooseLanguage(visitor?.languages ?? [], FALLBACK).code;
}

/** The browser that sent it: these endpoints are for nobody else. */
export function browserOf(visitor: Visitor | null): Visitor {
  if (visitor) return visitor;
  throw storeFail('AUTH_UNAUTHORIZED', 'This only works in a browser session');
}
