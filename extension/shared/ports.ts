/** The port by which the button of a page in which an agent acts is heard. A worker or an extension that has gone closes it. */
export const ACTING_PORT = 'acting';
