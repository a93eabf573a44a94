import { testPage } from './run-page.ts';

testPage('customer-accounts');
