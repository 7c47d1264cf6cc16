// The roles that a user may have beside being a user. Operators grant them by `bin/admin`; no request gives one.

export const USER_ROLES = ['operator'] as const;
/** `operator`: may see and do what is below /v1/admin. */
export type UserRole = (typeof USER_ROLES)[number];
