package v1alpha1

// ObjectName is the name of a Tailnet.
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule="!format.dns1123Label().validate(self).hasValue()",message="must be a DNS-1123 label: lower-case letters, digits and '-', at most 63 characters"
type ObjectName string

// ReferenceName is the name of an object that is referred to.
// +kubebuilder:validation:MaxLength=253
// +kubebuilder:validation:XValidation:rule="!format.dns1123Subdomain().validate(self).hasValue()",message="must be a DNS-1123 subdomain: lower-case letters, digits, '-' and '.', at most 253 characters"
type ReferenceName string

// DataKey is a key of a Secret or ConfigMap.
// +kubebuilder:validation:MaxLength=253
// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9._-]+$') && self != '.' && !self.startsWith('..')",message="must be a data key: letters, digits, '-', '_' and '.', at most 253 characters"
type DataKey string

// URL is the address of Headscale.
// +kubebuilder:validation:MaxLength=512
// +kubebuilder:validation:XValidation:rule=`self.matches(r'^https?://(([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?|\[[0-9a-f]*:[0-9a-f:.]+\])(:(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3}))?(/[A-Za-z0-9._~/-]*)?$') && isURL(self) && size(url(self).getHostname()) <= 253 && (!self.matches(r'^https?://[0-9.]+([:/].*)?$') || isIP(self.find('[0-9.]+'))) && (!self.contains('[') || isIP(self.find('[0-9a-f]*:[0-9a-f:.]+')) && ip.isCanonical(self.find('[0-9a-f]*:[0-9a-f:.]+')))`,message="must be a URL of the form https://host[:port][/path], lower case, without user, query or fragment"
type URL string

// Tag is a Headscale tag.
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule="self.matches('^tag:[a-z][a-z0-9-]*$')",message="must be a tag that Headscale accepts: tag: and a lower-case letter, then lower-case letters, digits or '-'"
type Tag string

// Prefix is a canonical IPv4 prefix that may be routed.
// +kubebuilder:validation:MaxLength=49
// +kubebuilder:validation:XValidation:rule="isCIDR(self) ? cidr(self).ip().family() == 6 || cidr(self).masked() == cidr(self) : false",message="must be a canonical IPv4 prefix such as 192.168.10.0/24: no leading zeros, no host bits"
// +kubebuilder:validation:XValidation:rule="!isCIDR(self) || cidr(self).ip().family() == 4",message="must be IPv4: IPv6 routes are not supported"
// +kubebuilder:validation:XValidation:rule="!isCIDR(self) || cidr(self).ip().family() != 4 || ['0.0.0.0/8', '127.0.0.0/8', '224.0.0.0/4'].all(r, !cidr(r).containsCIDR(self) && !cidr(self).containsCIDR(r))",message="must not touch unspecified (0.0.0.0/8), loopback (127.0.0.0/8) or multicast (224.0.0.0/4) addresses"
type Prefix string

// IPv4 is a canonical unicast IPv4 address.
// +kubebuilder:validation:MaxLength=45
// +kubebuilder:validation:XValidation:rule="isIP(self) && ip(self).family() == 4",message="must be a canonical IPv4 address such as 10.99.0.53: no leading zeros, not IPv4-mapped"
// +kubebuilder:validation:XValidation:rule="!isIP(self) || ip(self).family() != 4 || ip(self).isGlobalUnicast() && !self.startsWith('0.')",message="must be a unicast address: not unspecified, loopback, link-local, multicast or broadcast"
type IPv4 string

// Address is a canonical unicast IPv4 or IPv6 address.
// +kubebuilder:validation:MaxLength=45
// +kubebuilder:validation:XValidation:rule="isIP(self) && ip.isCanonical(self) && ip(self).isGlobalUnicast() && !self.startsWith('0.')",message="must be a canonical unicast IPv4 or IPv6 address: not unspecified, loopback, link-local, multicast, broadcast or IPv4-mapped, no zone"
type Address string

// LabelValue is the value of a label.
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule="!format.labelValue().validate(self).hasValue()",message="must be a label value: at most 63 letters, digits, '-', '_' or '.', beginning and ending with a letter or digit"
type LabelValue string

// Zone is the name of a DNS zone.
// +kubebuilder:validation:MaxLength=253
// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$')`,message="must be a lower-case DNS name without a final dot: labels of 1 to 63 letters, digits, '-' or '_', at most 253 characters"
type Zone string

// RecordName is the name of a static record.
// +kubebuilder:validation:MaxLength=254
// +kubebuilder:validation:XValidation:rule=`self.matches(r'^(\*|(\*\.)?[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?)$')`,message="must be a lower-case DNS name: relative to the zone, or absolute with a final dot; '*' only as the whole first label"
type RecordName string

// ServiceName is the name of a Service.
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule="!format.dns1035Label().validate(self).hasValue()",message="must be a DNS-1035 label of at most 63 characters: lower-case letters, digits and '-', beginning with a letter"
type ServiceName string

// Image is a pinned image reference.
// +kubebuilder:validation:MaxLength=456
// +kubebuilder:validation:XValidation:rule=`self.matches(r'^([a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)*(:[0-9]{1,5})?/)?[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(@sha256:[0-9a-f]{64})?$') && self.matches(r'^.{1,255}(:[A-Za-z0-9._-]+)?(@.*)?$') && (self.contains('@') || self.matches(r':v?[0-9]+\.[0-9]+(\.[0-9]+)+([-._][A-Za-z0-9._-]+)?$'))`,message="must pin an image: name@sha256:digest, or name:tag with a full version such as v1.102.4"
type Image string

// SysctlName is the name of a sysctl.
// +kubebuilder:validation:MaxLength=253
// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-_a-z0-9]*[a-z0-9])?([./][a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$')",message="must be a namespaced sysctl name such as net.ipv4.ip_forward"
type SysctlName string

// Target is what an egress leads to.
// +kubebuilder:validation:MaxLength=253
// +kubebuilder:validation:XValidation:rule=`self.matches('^[0-9.]+$') || self.contains(':') ? isIP(self) && ip(self).family() == 4 && ip(self).isGlobalUnicast() && !self.startsWith('0.') : self.matches(r'^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$')`,message="must be a canonical unicast IPv4 address or a lower-case DNS name"
type Target string

// UID is the UID of an object.
// +kubebuilder:validation:MaxLength=36
// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$')",message="must be an object UID: lower-case hexadecimal digits in the form 8-4-4-4-12"
type UID string
