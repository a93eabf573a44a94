import type { Capability } from '#kernel/capability.ts';
import { shopCart } from './buying/cart/capability.ts';
import { shopCheckout } from './buying/checkout/capability.ts';
import { shopCustomerDesk } from './buying/customer-desk/capability.ts';
import { shopDownloads } from './buying/downloads/capability.ts';
import { shopExchanges } from './buying/exchanges/capability.ts';
import { shopPayLinks } from './buying/pay-links/capability.ts';
import { shopStaffOrders } from './buying/staff-orders/capability.ts';
import { shopCategories } from './catalog/categories/capability.ts';
import { shopCollections } from './catalog/collections/capability.ts';
import { shopContent } from './catalog/content/capability.ts';
import { shopDigitalFiles } from './catalog/digital-files/capability.ts';
import { shopInventory } from './catalog/inventory/capability.ts';
import { shopMedia } from './catalog/media/capability.ts';
import { shopNavigation } from './catalog/navigation/capability.ts';
import { shopProducts } from './catalog/products/capability.ts';
import { shopSearch } from './catalog/search/capability.ts';
import { storeLocal } from './local.ts';
import { shopOrderDesk } from './orders/desk/capability.ts';
import { shopDocuments } from './orders/documents/capability.ts';
import { shopIntegrity } from './orders/integrity/capability.ts';
import { shopOrderMails } from './orders/mails/capability.ts';
import { shopOrders } from './orders/orders/capability.ts';
import { shopPayments } from './orders/payments/capability.ts';
import { shopProcessors } from './orders/processors/capability.ts';
import { shopReturns } from './orders/returns/capability.ts';
import { shopRisk } from './orders/risk/capability.ts';
import { shopShipments } from './orders/shipments/capability.ts';
import { shopShopperOrders } from './orders/shopper-orders/capability.ts';
import { shopAccounts } from './people/accounts/capability.ts';
import { shopAddresses } from './people/addresses/capability.ts';
import { shopConsents } from './people/consents/capability.ts';
import { shopCustomers } from './people/customers/capability.ts';
import { shopDevices } from './people/devices/capability.ts';
import { shopCustomerGroups } from './people/groups/capability.ts';
import { shopMessages } from './people/messages/capability.ts';
import { shopNewsletter } from './people/newsletter/capability.ts';
import { shopPhotos } from './people/photos/capability.ts';
import { shopPrivacy } from './people/privacy/capability.ts';
import { shopGiftCards } from './pricing/gift-cards/capability.ts';
import { shopPriceLists } from './pricing/price-lists/capability.ts';
import { shopPromotions } from './pricing/promotions/capability.ts';
import { shopShipping } from './pricing/shipping/capability.ts';
import { shopTax } from './pricing/tax/capability.ts';
import { shopAccountPages } from './tools/account/capability.ts';
import { storeKeyAdministration } from './tools/api-keys/capability.ts';
import { storeHooks } from './tools/hooks/capability.ts';
import { shopReports } from './tools/reports/capability.ts';
import { shopSample } from './tools/sample/capability.ts';
import { storeAdministration } from './tools/settings/capability.ts';
import { shopPages } from './tools/shop/capability.ts';
import { shoppingPages } from './tools/shopping/capability.ts';
import { shopTransfer } from './tools/transfer/capability.ts';
import { shopVisits } from './tools/visits/capability.ts';
import { storeWebhookAdministration } from './tools/webhooks/capability.ts';

export { storeOpen } from './contract/settings.ts';
export { storeSurface } from './surface.ts';
export { customerSignInPath } from './tools/account/index.ts';

/** Everything that the shop adds to the program. */
export const storefrontCapabilities: readonly Capability[] = [
  storeLocal,
  storeAdministration,
  storeKeyAdministration,
  storeWebhookAdministration,
  storeHooks,
  shopProducts,
  shopInventory,
  shopCategories,
  shopCollections,
  shopContent,
  shopNavigation,
  shopMessages,
  shopNewsletter,
  shopVisits,
  shopSearch,
  shopPriceLists,
  shopTax,
  shopShipping,
  shopPromotions,
  shopGiftCards,
  shopProcessors,
  shopCustomers,
  shopAccounts,
  shopAddresses,
  shopConsents,
  shopDevices,
  shopPhotos,
  shopPrivacy,
  shopCustomerGroups,
  shopOrders,
  shopOrderMails,
  shopRisk,
  shopPayments,
  shopDocuments,
  shopOrderDesk,
  shopShipments,
  shopReturns,
  shopShopperOrders,
  shopIntegrity,
  shopCart,
  shopCheckout,
  shopPayLinks,
  shopDownloads,
  shopCustomerDesk,
  shopStaffOrders,
  shopExchanges,
  shoppingPages,
  shopAccountPages,
  shopPages,
  shopMedia,
  shopTransfer,
  shopSample,
  shopDigitalFiles,
  shopReports,
];
