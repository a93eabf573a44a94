import { z } from 'zod';
import type { RateLimit } from '#kernel/http/rate-limit.ts';
import type { ServiceLimits } from '#kernel/service/limits-in-force.ts';
import { bucketSettings, type Setting, setting } from '#kernel/settings.ts';

/** The rate limits of the store (storefront-api.md 1.7): what costs no search is open to every shopper. */
export const limits = {
  /** Staff and their programs. */
  staff: { bucket: 'staff', max: 600, windowSeconds: 60, by: 'credential' },
  /** What people write to the shop. */
  contact: { bucket: 'contact', max: 5, windowSeconds: 600, by: 'ip' },
  /** Who asks for the newsletter. */
  newsletter: { bucket: 'newsletter', max: 5, windowSeconds: 600, by: 'ip' },
  /** Who asks what is left on a gift card: codes are not guessed. */
  giftCardBalance: { bucket: 'giftCardBalance', max: 10, windowSeconds: 600, by: 'ip' },
  /** Who puts something into a cart. */
  cartAdd: { bucket: 'cartAdd', max: 60, windowSeconds: 60, by: 'ip' },
  /** Codes that are tried at a cart, of promotions and of gift cards. */
  cartCode: { bucket: 'cartCode', max: 10, windowSeconds: 60, by: 'ip' },
  /** Who places an order, or pays it again. */
  checkout: { bucket: 'checkout', max: 5, windowSeconds: 60, by: 'ip', sparesInput: true },
  /** Forms of the checkout that fill in contact, address and shipping, and order nothing. */
  checkoutForm: { bucket: 'checkoutForm', max: 30, windowSeconds: 60, by: 'ip' },
  /** Who looks for an order by its number and an email address, which are not guessed. */
  trackOrder: { bucket: 'trackOrder', max: 10, windowSeconds: 300, by: 'ip' },
  /** Invoices that shoppers download: each is printed anew. */
  invoice: { bucket: 'invoice', max: 30, windowSeconds: 60, by: 'ip' },
  /** Passwords of customers that are tried, at pages and by JSON together. */
  customerSignIn: { bucket: 'customerSignIn', max: 10, windowSeconds: 300, by: 'ip' },
  /** Codes of customers' second factors that are tried, likewise. */
  customerCode: { bucket: 'customerCode', max: 10, windowSeconds: 300, by: 'ip' },
  /** Who registers: each writes a mail. */
  register: { bucket: 'register', max: 5, windowSeconds: 600, by: 'ip', sparesInput: true },
  /** Who asks for the mail that verifies an address once more. */
  resendVerification: { bucket: 'resendVerification', max: 3, windowSeconds: 600, by: 'ip' },
  /** Who asks for a link to a new password. */
  forgotPassword: { bucket: 'forgotPassword', max: 5, windowSeconds: 600, by: 'ip' },
  /** Who looks at links of mails, or uses them. */
  mailLink: { bucket: 'mailLink', max: 20, windowSeconds: 300, by: 'ip' },
  /** Passwords and codes that somebody who is signed in gives again: a stolen session must not try them. */
  customerProof: { bucket: 'customerProof', max: 10, windowSeconds: 300, by: 'customer' },
  /** Forms of returns: requests, tracking and messages. */
  returnForm: { bucket: 'returnForm', max: 30, windowSeconds: 600, by: 'ip' },
  /** Customers who ask for returns, and write about them. */
  returnRequest: { bucket: 'returnRequest', max: 30, windowSeconds: 600, by: 'customer' },
  /** Photos that a customer sends. */
  customerUpload: { bucket: 'customerUpload', max: 20, windowSeconds: 3600, by: 'customer' },
  /** Copies of all of their data that a customer asks for. */
  customerExport: { bucket: 'customerExport', max: 2, windowSeconds: 86_400, by: 'customer' },
  /** Confirmations of orders that a customer has sent once more. */
  resendConfirmation: { bucket: 'resendConfirmation', max: 3, windowSeconds: 3600, by: 'customer' },
  /** Links to bought files that a customer asks for. */
  downloadLink: { bucket: 'downloadLink', max: 30, windowSeconds: 3600, by: 'customer' },
  /** Links to bought files that somebody with the link of an order asks for. */
  orderDownloadLink: { bucket: 'orderDownloadLink', max: 30, windowSeconds: 3600, by: 'ip' },
  /** Keys of licenses that a customer has shown. */
  licenseReveal: { bucket: 'licenseReveal', max: 10, windowSeconds: 3600, by: 'customer' },
  /** Machines that a customer releases. */
  machineRelease: { bucket: 'machineRelease', max: 10, windowSeconds: 86_400, by: 'customer' },
  /** Offline tokens that a customer asks for. */
  ownOfflineToken: { bucket: 'ownOfflineToken', max: 10, windowSeconds: 3600, by: 'customer' },
  /** Links to releases that a customer asks for. */
  releaseLink: { bucket: 'releaseLink', max: 10, windowSeconds: 3600, by: 'customer' },
  /** Codes of gift cards that a customer tries to attach to the account. */
  giftCardClaim: { bucket: 'giftCardClaim', max: 10, windowSeconds: 600, by: 'ip' },
  /** Links that end emails. */
  unsubscribe: { bucket: 'unsubscribe', max: 20, windowSeconds: 300, by: 'ip' },
  /** Notifications of payment processors. */
  paymentReport: { bucket: 'paymentReport', max: 600, windowSeconds: 60, by: 'ip' },
  /** Distinct unknown credentials of one address. */
  failures: { bucket: 'failures', max: 100, windowSeconds: 900, by: 'ip' },
} as const satisfies Record<string, RateLimit>;

export const storeLimitsEnabled = setting({
  key: 'store.limits.enabled',
  group: 'security',
  description: 'Whether the documented rate limits of the shop apply',
  schema: z.boolean(),
  default: true,
});

const overrides = bucketSettings({ prefix: 'store.limits', group: 'security' }, limits);

/** The limits of the store as its surface applies them. */
export const storeLimits: ServiceLimits = {
  enabled: storeLimitsEnabled,
  settings: overrides,
  failures: limits.failures,
};

export const limitSettings: readonly Setting[] = [
  storeLimitsEnabled,
  ...Object.values(overrides).flatMap(({ max, windowSeconds }) => [max, windowSeconds]),
] as readonly Setting[];
