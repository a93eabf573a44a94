import { expect, test } from 'vitest';
import * as service from '#licensing/contract/enumerations.ts';
import { RELEASE_STATES } from '#licensing/releases/releases/states.ts';
import { ROLES } from '#platform/permissions/index.ts';
import { TENANT_STATUSES } from '#platform/tenants/index.ts';
import { ARCHITECTURES, PLATFORMS } from '#signing/releases/targets.ts';
import { ADJUST_REASONS } from '#storefront/catalog/inventory/record.ts';
import * as shop from '#storefront/catalog/products/record.ts';
import { REFUND_EFFECTS } from '#storefront/contract/license-settings.ts';
import * as store from '#storefront/contract/scopes.ts';
import * as orders from '#storefront/orders/orders/record.ts';
import { REFUND_TO } from '#storefront/orders/payments/record.ts';
import * as returns from '#storefront/orders/returns/record.ts';
import * as promotions from '#storefront/pricing/promotions/record.ts';
import * as ranges from '#storefront/tools/reports/daily/ranges.ts';
import * as abuseChoices from '../../src/cli/abuse/choices.ts';
import * as choices from '../../src/cli/choices.ts';
import * as grants from '../../src/fulfilment/grants/record.ts';

test('the values that options offer are those of the service', () => {
  expect({ ...choices, ...abuseChoices }).toEqual({
    licenseStatuses: service.LICENSE_STATUSES,
    licenseTypes: service.LICENSE_TYPES,
    licenseTiers: service.LICENSE_TIERS,
    productTypes: service.PRODUCT_TYPES,
    productStatuses: service.PRODUCT_STATUSES,
    licensingModes: service.LICENSING_MODES,
    cullStrategies: service.CULL_STRATEGIES,
    trialReuseRules: service.TRIAL_REUSE_RULES,
    abuseActions: service.ABUSE_ACTIONS,
    abuseRules: service.ABUSE_RULES,
    flagStatuses: service.FLAG_STATUSES,
    confirmActions: service.CONFIRM_ACTIONS,
    keyAlphabets: service.KEY_ALPHABETS,
    keyChecksums: service.KEY_CHECKSUMS,
    tenantStatuses: TENANT_STATUSES,
    adminRoles: ROLES,
    licenseScopes: service.API_KEY_SCOPES,
    storeScopes: store.API_KEY_SCOPES,
    shopProductStatuses: shop.PRODUCT_STATUSES,
    shopProductTypes: shop.PRODUCT_TYPES,
    grantQuantityModes: grants.QUANTITY_MODES,
    refundEffects: REFUND_EFFECTS,
    grantEndEffects: grants.END_EFFECTS,
    stockReasons: ADJUST_REASONS,
    orderStatuses: orders.ORDER_STATUSES,
    paymentStatuses: orders.PAYMENT_STATUSES,
    returnStatuses: returns.RETURN_STATES,
    returnConditions: returns.CONDITIONS,
    refundWays: REFUND_TO,
    promotionStatuses: promotions.STATUSES,
    reportGroups: ranges.GROUPS,
    releaseChannels: service.RELEASE_CHANNELS,
    releaseStates: RELEASE_STATES,
    releasePlatforms: PLATFORMS,
    releaseArchitectures: ARCHITECTURES,
  });
});
