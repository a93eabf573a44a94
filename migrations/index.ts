// Every step of the schema. A list instead of a scanned folder, so that it travels inside the executable; each step is
// loaded when it is run, since a command only compares their names with those of the database.
export const steps = {
  '0001-platform': async () => (await import('./0001-platform.ts')).m0001Platform,
  '0002-licensing-catalog': async () => (await import('./0002-licensing-catalog.ts')).m0002LicensingCatalog,
  '0003-licenses': async () => (await import('./0003-licenses.ts')).m0003Licenses,
  '0004-license-operations': async () =>
    (await import('./0004-license-operations.ts')).m0004LicenseOperations,
  '0005-webhooks': async () => (await import('./0005-webhooks.ts')).m0005Webhooks,
  '0006-inbound': async () => (await import('./0006-inbound.ts')).m0006Inbound,
  '0007-releases': async () => (await import('./0007-releases.ts')).m0007Releases,
  '0008-limit-refusals': async () => (await import('./0008-limit-refusals.ts')).m0008LimitRefusals,
  '0009-daily-observations': async () =>
    (await import('./0009-daily-observations.ts')).m0009DailyObservations,
  '0010-tasks-and-schedules': async () =>
    (await import('./0010-tasks-and-schedules.ts')).m0010TasksAndSchedules,
  '0011-sessions': async () => (await import('./0011-sessions.ts')).m0011Sessions,
  '0012-subscriptions-counter': async () =>
    (await import('./0012-subscriptions-counter.ts')).m0012SubscriptionsCounter,
  '0013-audit': async () => (await import('./0013-audit.ts')).m0013Audit,
  '0014-accounts': async () => (await import('./0014-accounts.ts')).m0014Accounts,
  '0015-roles-and-scopes': async () => (await import('./0015-roles-and-scopes.ts')).m0015RolesAndScopes,
  '0016-license-lists': async () => (await import('./0016-license-lists.ts')).m0016LicenseLists,
  '0018-audit-lists': async () => (await import('./0018-audit-lists.ts')).m0018AuditLists,
  '0019-job-runs': async () => (await import('./0019-job-runs.ts')).m0019JobRuns,
  '0020-reports': async () => (await import('./0020-reports.ts')).m0020Reports,
  '0022-idempotency-keys': async () => (await import('./0022-idempotency-keys.ts')).m0022IdempotencyKeys,
  '0023-list-indexes': async () => (await import('./0023-list-indexes.ts')).m0023ListIndexes,
  '0024-filtered-lists': async () => (await import('./0024-filtered-lists.ts')).m0024FilteredLists,
  '0025-staff-preferences': async () => (await import('./0025-staff-preferences.ts')).m0025StaffPreferences,
  '0026-saved-views': async () => (await import('./0026-saved-views.ts')).m0026SavedViews,
  '0027-panel-figures': async () => (await import('./0027-panel-figures.ts')).m0027PanelFigures,
  '0028-key-hours': async () => (await import('./0028-key-hours.ts')).m0028KeyHours,
  '0031-shop-products': async () => (await import('./0031-shop-products.ts')).m0031ShopProducts,
  '0032-media': async () => (await import('./0032-media.ts')).m0032Media,
  '0034-shop-categories': async () => (await import('./0034-shop-categories.ts')).m0034ShopCategories,
  '0037-shop-product-categories': async () =>
    (await import('./0037-shop-product-categories.ts')).m0037ShopProductCategories,
  '0038-shop-catalog-version': async () =>
    (await import('./0038-shop-catalog-version.ts')).m0038ShopCatalogVersion,
  '0039-shop-collections': async () => (await import('./0039-shop-collections.ts')).m0039ShopCollections,
  '0040-inventory': async () => (await import('./0040-inventory.ts')).m0040Inventory,
  '0041-shop-search': async () => (await import('./0041-shop-search.ts')).m0041ShopSearch,
  '0042-shop-content': async () => (await import('./0042-shop-content.ts')).m0042ShopContent,
  '0043-shop-price-lists': async () => (await import('./0043-shop-price-lists.ts')).m0043ShopPriceLists,
  '0044-shop-digital-files': async () => (await import('./0044-shop-digital-files.ts')).m0044ShopDigitalFiles,
  '0045-shop-mail-in': async () => (await import('./0045-shop-mail-in.ts')).m0045ShopMailIn,
  '0046-shop-sample': async () => (await import('./0046-shop-sample.ts')).m0046ShopSample,
  '0047-pictures-of-places': async () => (await import('./0047-pictures-of-places.ts')).m0047PicturesOfPlaces,
  '0048-shop-tax-and-shipping': async () =>
    (await import('./0048-shop-tax-and-shipping.ts')).m0048ShopTaxAndShipping,
  '0049-shop-promotions': async () => (await import('./0049-shop-promotions.ts')).m0049ShopPromotions,
  '0050-email-log': async () => (await import('./0050-email-log.ts')).m0050EmailLog,
  '0051-shop-gift-cards': async () => (await import('./0051-shop-gift-cards.ts')).m0051ShopGiftCards,
  '0053-shop-carts': async () => (await import('./0053-shop-carts.ts')).m0053ShopCarts,
  '0054-shop-orders': async () => (await import('./0054-shop-orders.ts')).m0054ShopOrders,
  '0055-shop-payments': async () => (await import('./0055-shop-payments.ts')).m0055ShopPayments,
  '0056-shop-shipments': async () => (await import('./0056-shop-shipments.ts')).m0056ShopShipments,
  '0057-shop-invoices': async () => (await import('./0057-shop-invoices.ts')).m0057ShopInvoices,
  '0058-corrected-invoices': async () =>
    (await import('./0058-corrected-invoices.ts')).m0058CorrectedInvoices,
  '0063-payment-tries': async () => (await import('./0063-payment-tries.ts')).m0063PaymentTries,
  '0064-order-reviews': async () => (await import('./0064-order-reviews.ts')).m0064OrderReviews,
};
