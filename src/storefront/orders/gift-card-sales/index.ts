export { issueBought, reinstateOf, requireUnused, withdrawAll, withdrawFor } from './gift-card-sales.ts';
