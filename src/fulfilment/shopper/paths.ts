/** Licenses in the account of a customer (shop-pages 2.6). */
export const LICENSES = '/shop/account/licenses';
