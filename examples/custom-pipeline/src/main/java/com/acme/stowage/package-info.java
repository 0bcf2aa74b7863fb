/**
 * A plug-in for Stowage: the pass {@code acme-pin-operator}, the strategy {@code acme-first-fit}
 * and the target {@code acme-npu1}. Each is one class, and one line in {@code META-INF/services}.
 */
package com.acme.stowage;
