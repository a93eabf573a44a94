import type { LocalPart } from '#kernel/capability.ts';
import { fill } from '#kernel/extension.ts';
import {
  accountLicenses,
  licenseFiles,
  mailBlocks,
  orderLicenses,
  releaseFile,
  variantLicenses,
} from '#storefront/contract/extensions.ts';
import { featureSettings } from '#storefront/contract/settings.ts';

/** What the shop shows of licenses where it leaves a place for it. */
export const shopperLicensesLocal = {
  name: 'shopper-licenses',
  enabledBy: featureSettings.licenses_enabled,
  fills: [
    fill(orderLicenses, async () => (await import('./delivered.ts')).licensesOfOrder),
    fill(mailBlocks, async () => (await import('./mail-block.ts')).licensesInMails),
    fill(licenseFiles, async () => (await import('./release-files.ts')).releaseLinks),
    fill(releaseFile, async () => (await import('./release-files.ts')).newestReleases),
    fill(variantLicenses, async () => (await import('../grants/index.ts')).licensesOfVariants),
    fill(accountLicenses, async () => (await import('./ending.ts')).licensesInAccount),
  ],
} satisfies LocalPart;
