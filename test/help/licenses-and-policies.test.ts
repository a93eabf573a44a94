import { testPage } from './run-page.ts';

testPage('licenses-and-policies');
