export { forShopper, look, type PayLink, pay, payableUntil, send } from './pay-links.ts';
